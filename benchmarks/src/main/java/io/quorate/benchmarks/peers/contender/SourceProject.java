package io.quorate.benchmarks.peers.contender;

import io.quorate.server.localcluster.FileTree;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * A program that is built from a few source files and published dependencies, in a directory of its
 * own. It is built again only after a change of these files or of the commands.
 *
 * @param name of the directory
 * @param files contents by path
 * @param commands build it, one after the other, in the directory; each begins with the program
 * @param environment variables that are added to those of this process
 */
public record SourceProject(
    String name,
    Map<String, String> files,
    List<List<String>> commands,
    Map<String, String> environment) {
  private static final Duration BUILD_MAX = Duration.ofMinutes(20);
  private static final String STAMP = "built";
  private static final String LOG = "build.log";

  public SourceProject {
    files = Map.copyOf(files);
    commands = commands.stream().map(List::copyOf).toList();
    environment = Map.copyOf(environment);
  }

  /** The directory of the project, which may not exist yet. */
  public Path directory(Programs programs) {
    return programs.directory().resolve(name).toAbsolutePath();
  }

  /** Whether it was built from these files by these commands. */
  public boolean isBuilt(Programs programs) {
    Path stamp = directory(programs).resolve(STAMP);
    try {
      return Files.exists(stamp) && Files.readString(stamp).equals(digest());
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Builds it, unless it is built already. Blocks.
   *
   * @throws UnavailableException if it is missing and was not to be built, or the build failed
   */
  public void build(Programs programs) throws UnavailableException, InterruptedException {
    if (isBuilt(programs)) {
      return;
    }
    if (!programs.mayBuild()) {
      throw new UnavailableException("It is not built, and --no-build was given.");
    }
    programs.progress().accept("building " + name + ", once; this may take some minutes");
    Path directory = directory(programs);
    try {
      FileTree.delete(directory);
      Files.createDirectories(directory);
      for (Map.Entry<String, String> file : files.entrySet()) {
        Path path = directory.resolve(file.getKey());
        Files.createDirectories(path.getParent());
        Files.writeString(path, file.getValue());
      }
      for (List<String> command : commands) {
        run(command, directory);
      }
      Files.writeString(directory.resolve(STAMP), digest());
    } catch (IOException e) {
      throw new UnavailableException("It cannot be built: " + e.getMessage(), e);
    }
  }

  private void run(List<String> command, Path directory)
      throws IOException, UnavailableException, InterruptedException {
    Path log = directory.resolve(LOG);
    ChildProcess build = ChildProcess.start(command, directory, environment, log);
    boolean ended;
    try {
      ended = build.process().waitFor(BUILD_MAX.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      build.stop(Duration.ZERO);
      throw e;
    }
    if (!ended) {
      build.stop(Duration.ZERO);
      throw new UnavailableException(
          "Building it took more than " + BUILD_MAX.toMinutes() + " minutes; the log is " + log);
    }
    if (build.process().exitValue() != 0) {
      throw new UnavailableException(
          "Building it failed: " + build.firstError() + " (log: " + log + ")");
    }
  }

  /** Identifies what is built, wherever the building programs are. */
  private String digest() {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      List<List<String>> arguments =
          commands.stream().map(command -> command.subList(1, command.size())).toList();
      String all = new TreeMap<>(files) + "\n" + arguments + "\n" + new TreeMap<>(environment);
      return HexFormat.of().formatHex(digest.digest(all.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
