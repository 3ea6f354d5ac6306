package io.quorate.benchmarks.peers.jvm;

import io.quorate.benchmarks.peers.contender.Programs;
import io.quorate.benchmarks.peers.contender.SourceProject;
import io.quorate.benchmarks.peers.contender.UnavailableException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A small project in the resources that Maven builds, with a published library.
 *
 * @param name also of its directory in the resources
 * @param sources names of its Java files
 */
record MavenProject(String name, List<String> sources) {

  /**
   * Builds it, unless it is built already. Blocks.
   *
   * @return its directory
   */
  Path build(Programs programs) throws UnavailableException, InterruptedException {
    Optional<Path> maven = maven();
    SourceProject project = project(maven.map(Path::toString).orElse(""));
    if (!project.isBuilt(programs) && maven.isEmpty()) {
      throw new UnavailableException(
          "It is built with Maven, and there is no \"mvn\" on the PATH and no \"mvnw\" beside this"
              + " program.");
    }
    project.build(programs);
    return project.directory(programs);
  }

  /** Maven's wrapper in the checkout that this program belongs to, or the installed program. */
  private static Optional<Path> maven() {
    Path program;
    try {
      program =
          Path.of(MavenProject.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
    for (Path each = program; each != null; each = each.getParent()) {
      Path wrapper = each.resolve("mvnw");
      if (Files.isExecutable(wrapper)) {
        return Optional.of(wrapper);
      }
    }
    return Programs.installed("mvn");
  }

  /** The project, to be built by this program. */
  SourceProject project(String maven) {
    Map<String, String> files = new LinkedHashMap<>();
    files.put("pom.xml", resource(name + "/pom.xml"));
    files.put("src/main/resources/simplelogger.properties", resource("simplelogger.properties"));
    for (String source : sources) {
      files.put("src/main/java/peer/" + source + ".java", resource(name + "/" + source + ".java"));
    }
    return new SourceProject(
        name, files, List.of(List.of(maven, "-B", "-ntp", "-q", "compile")), Map.of());
  }

  /** The text of a file beside this class. */
  private static String resource(String path) {
    try (InputStream in = MavenProject.class.getResourceAsStream(path)) {
      if (in == null) {
        throw new IllegalStateException("There is no resource " + path);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
