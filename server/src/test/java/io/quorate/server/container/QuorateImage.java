package io.quorate.server.container;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.exception.NotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.dockerclient.DockerClientProviderStrategy;
import org.testcontainers.images.builder.ImageFromDockerfile;

/** The image that the Dockerfile builds from the jar of this build. */
final class QuorateImage {
  /** Environment variable with another base image than the Dockerfile's. */
  private static final String BASE = "QUORATE_IMAGE_BASE";

  private static final Path DOCKERFILE = Path.of("..", "Dockerfile").toAbsolutePath().normalize();
  private static final Pattern BASE_LINE = Pattern.compile("(?m)^ARG BASE=(\\S+)$");

  /** Why the image cannot be built or run here, as a sentence; empty if it can. */
  static final Optional<String> OBSTACLE = obstacle();

  private static final ImageFromDockerfile IMAGE =
      new ImageFromDockerfile().withDockerfile(DOCKERFILE).withBuildArg("BASE", base());

  static {
    OBSTACLE.ifPresentOrElse(System.out::println, QuorateImage::removeAtTheEnd);
  }

  private QuorateImage() {}

  /** The name of the image, which the first call builds and the end of the JVM removes. Blocks. */
  static String name() {
    return IMAGE.get();
  }

  /** Also where the reaper is off. Containers are removed by then. */
  private static void removeAtTheEnd() {
    Runtime.getRuntime().addShutdownHook(new Thread(QuorateImage::remove, "quorate-image"));
  }

  private static void remove() {
    try {
      engine().removeImageCmd(IMAGE.getDockerImageName()).withForce(true).exec();
    } catch (NotFoundException e) {
      // The image was never built.
      return;
    }
  }

  private static DockerClient engine() {
    return DockerClientFactory.instance().client();
  }

  /** Asks the engine itself first: Testcontainers pulls images of its own when it begins. */
  private static Optional<String> obstacle() {
    DockerClient engine;
    try {
      engine = strategy().getDockerClient();
    } catch (IllegalStateException e) {
      return Optional.of("No container engine responds: no test runs a container.");
    }
    if (!isPresent(engine) && !isPulled(engine)) {
      return Optional.of(
          "No test runs a container, because the base image "
              + base()
              + " is not on this machine and cannot be pulled; "
              + BASE
              + " may name another one.");
    }
    if (!DockerClientFactory.instance().isDockerAvailable()) {
      return Optional.of(
          "No test runs a container, because Testcontainers does not find the address of the"
              + " container engine; TESTCONTAINERS_HOST_OVERRIDE may name it.");
    }
    return Optional.empty();
  }

  /**
   * How the engine is reached.
   *
   * @throws IllegalStateException if none responds
   */
  private static DockerClientProviderStrategy strategy() {
    List<DockerClientProviderStrategy> known = new ArrayList<>();
    ServiceLoader.load(DockerClientProviderStrategy.class).forEach(known::add);
    return DockerClientProviderStrategy.getFirstValidStrategy(known);
  }

  private static boolean isPresent(DockerClient engine) {
    try {
      engine.inspectImageCmd(base()).exec();
      return true;
    } catch (NotFoundException e) {
      return false;
    }
  }

  private static boolean isPulled(DockerClient engine) {
    try {
      engine.pullImageCmd(base()).start().awaitCompletion();
      return true;
    } catch (RuntimeException e) {
      return false;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String base() {
    return Optional.ofNullable(System.getenv(BASE)).orElseGet(QuorateImage::standardBase);
  }

  private static String standardBase() {
    try {
      Matcher line = BASE_LINE.matcher(Files.readString(DOCKERFILE));
      if (!line.find()) {
        throw new IllegalStateException(DOCKERFILE + " has no line ARG BASE=...");
      }
      return line.group(1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
