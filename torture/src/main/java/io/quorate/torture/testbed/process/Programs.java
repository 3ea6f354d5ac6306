package io.quorate.torture.testbed.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs programs of the operating system. An interrupt does not end the wait, and is preserved. */
public final class Programs {
  private static final long TIMEOUT_SECONDS = 60;
  private static final List<String> DIRECTORIES =
      List.of("/usr/sbin", "/sbin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/local/bin");

  private Programs() {}

  /** Whether the program is in one of the directories of the system. */
  public static boolean isInstalled(String program) {
    return DIRECTORIES.stream().anyMatch(dir -> Files.isExecutable(Path.of(dir, program)));
  }

  /**
   * Runs a program. Blocks until it has ended, for at most a minute.
   *
   * @return its output, without blanks at the ends
   * @throws IOException if it cannot be run, fails or takes longer; the message has its output
   */
  public static String run(String... command) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().merge("PATH", String.join(":", DIRECTORIES), (a, b) -> a + ":" + b);
    Process process = builder.start();
    process.getOutputStream().close();
    if (!hasEnded(process)) {
      process.destroyForcibly();
      throw new IOException(String.join(" ", command) + " did not end within a minute");
    }
    String output =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    if (process.exitValue() != 0) {
      throw new IOException(String.join(" ", command) + " failed: " + output);
    }
    return output;
  }

  private static boolean hasEnded(Process process) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
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
