package io.quorate.benchmarks.peers.contender;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A process whose output goes into a file.
 *
 * @param log its standard output and standard error
 */
record ChildProcess(Process process, Path log) {
  /** How Maven marks errors, the most important one first. */
  private static final String ERROR = "[ERROR] ";

  /**
   * Starts a process.
   *
   * @param directory an existing directory, in which it runs
   * @param environment variables that are added to those of this process
   * @throws IOException if there is no such program
   */
  static ChildProcess start(
      List<String> command, Path directory, Map<String, String> environment, Path log)
      throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.directory(directory.toFile());
    builder.redirectErrorStream(true);
    builder.redirectOutput(log.toFile());
    builder.environment().putAll(environment);
    return new ChildProcess(builder.start(), log);
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Requests a graceful stop, and kills the process after the timeout. Blocks. */
  void stop(Duration timeout) {
    process.destroy();
    boolean interrupted = false;
    try {
      process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      interrupted = true;
    }
    process.destroyForcibly().onExit().join();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** The last line of the log that is not empty, or a sentence that there is none. */
  String lastLine() {
    List<String> lines = lines();
    return lines.isEmpty() ? "It wrote nothing." : lines.get(lines.size() - 1);
  }

  /** The first error in the log of a build, or the last line if none is marked. */
  String firstError() {
    return lines().stream()
        .filter(line -> line.startsWith(ERROR))
        .map(line -> line.substring(ERROR.length()))
        .findFirst()
        .orElseGet(this::lastLine);
  }

  /** The lines of the log that are not empty. */
  private List<String> lines() {
    try {
      String text = new String(Files.readAllBytes(log), StandardCharsets.UTF_8);
      return text.lines().map(String::strip).filter(line -> !line.isEmpty()).toList();
    } catch (IOException e) {
      return List.of("Its log cannot be read.");
    }
  }

  /** The program of this name in the directories of {@code PATH}; empty if there is none. */
  static Optional<Path> find(String program, String path) {
    for (String directory : path.split(File.pathSeparator)) {
      Path file = Path.of(directory, program);
      if (!directory.isEmpty() && Files.isExecutable(file) && !Files.isDirectory(file)) {
        return Optional.of(file.toAbsolutePath());
      }
    }
    return Optional.empty();
  }
}
