package io.quorate.server.verification.disk;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs programs of the system to their end. An interrupt is kept for later. */
final class Programs {
  private static final long SECONDS_MAX = 60;
  private static final List<String> DIRECTORIES =
      List.of("/usr/sbin", "/sbin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/local/bin");

  private Programs() {}

  static boolean isHere(String program) {
    return DIRECTORIES.stream().anyMatch(dir -> Files.isExecutable(Path.of(dir, program)));
  }

  /**
   * Blocks until the program has ended, at most for a minute.
   *
   * @throws IOException if it cannot be run, fails or takes longer; says what it said
   */
  static void run(String... command) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().merge("PATH", String.join(":", DIRECTORIES), (a, b) -> a + ":" + b);
    Process process = builder.start();
    process.getOutputStream().close();
    if (!hasEnded(process)) {
      process.destroyForcibly();
      throw new IOException(String.join(" ", command) + " takes more than a minute");
    }
    if (process.exitValue() != 0) {
      String said =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      throw new IOException(String.join(" ", command) + " failed: " + said);
    }
  }

  private static boolean hasEnded(Process process) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_MAX);
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return process.waitFor(end - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
