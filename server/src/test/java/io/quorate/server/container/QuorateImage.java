package io.quorate.server.container;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.exception.NotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.opentest4j.TestAbortedException;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.images.builder.ImageFromDockerfile;

/** The image that the Dockerfile builds from the jar of this build. */
final class QuorateImage {
  /** Environment variable with another base image than the Dockerfile's. */
  private static final String BASE = "QUORATE_IMAGE_BASE";

  private static final Path DOCKERFILE = Path.of("..", "Dockerfile").toAbsolutePath().normalize();
  private static final Pattern BASE_LINE = Pattern.compile("(?m)^ARG BASE=(\\S+)$");

  private static final ImageFromDockerfile IMAGE =
      new ImageFromDockerfile().withDockerfile(DOCKERFILE).withBuildArg("BASE", base());

  static {
    // Removes the image also where the reaper is off. Containers are removed by then.
    Runtime.getRuntime().addShutdownHook(new Thread(QuorateImage::remove, "quorate-image"));
  }

  private QuorateImage() {}

  /**
   * The name of the image, which the first call builds and the end of the JVM removes. Blocks.
   *
   * @throws TestAbortedException if the base image can neither be found here nor pulled
   */
  static String name() {
    requireBase();
    return IMAGE.get();
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

  private static void requireBase() {
    if (isPresent()) {
      return;
    }
    try {
      engine().pullImageCmd(base()).start().awaitCompletion();
    } catch (RuntimeException e) {
      throw new TestAbortedException(
          "The base image "
              + base()
              + " is not on this machine and cannot be pulled; "
              + BASE
              + " may name another one.",
          e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean isPresent() {
    try {
      engine().inspectImageCmd(base()).exec();
      return true;
    } catch (NotFoundException e) {
      return false;
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
