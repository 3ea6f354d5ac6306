package io.quorate.server.localcluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Sends signals for which Java has no method. Blocks briefly. */
final class Signals {
  private static final long STOP_SECONDS_MAX = 10;
  private static final long STOP_CHECK_MILLIS = 2;

  private Signals() {}

  /**
   * Pauses the process (SIGSTOP): its connections stay open, but it does not respond. On Linux,
   * none of its threads runs when this returns: after the signal was sent, they run until the one
   * that receives it has got a processor.
   */
  static void pause(ProcessHandle process) throws IOException {
    send("STOP", process);
    Path threads = Path.of("/proc", Long.toString(process.pid()), "task");
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(STOP_SECONDS_MAX);
    try {
      while (Files.isDirectory(threads) && isAnyRunning(threads)) {
        if (System.nanoTime() - deadline > 0) {
          throw new ClusterException(
              "Process " + process.pid() + " was sent SIGSTOP and did not stop.");
        }
        // The system notifies of no change of a thread's state.
        TimeUnit.MILLISECONDS.sleep(STOP_CHECK_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClusterException("Interrupted while process " + process.pid() + " was paused.");
    }
  }

  /** Whether any thread runs or may run; one that waits for a disk stops when that responds. */
  private static boolean isAnyRunning(Path threads) throws IOException {
    try (Stream<Path> each = Files.list(threads)) {
      return each.anyMatch(thread -> "RS".indexOf(state(thread.resolve("stat"))) >= 0);
    } catch (NoSuchFileException e) {
      // The process has ended.
      return false;
    }
  }

  /** The letter behind the name of the program, which is in parentheses and may contain any. */
  private static char state(Path stat) {
    try {
      String text = Files.readString(stat, StandardCharsets.ISO_8859_1);
      return text.charAt(text.lastIndexOf(')') + 2);
    } catch (IOException e) {
      // The thread has ended.
      return 'X';
    }
  }

  /** Resumes a paused process (SIGCONT); has no effect on a running one. */
  static void resume(ProcessHandle process) throws IOException {
    send("CONT", process);
  }

  private static void send(String signal, ProcessHandle process) throws IOException {
    String pid = Long.toString(process.pid());
    try {
      int status =
          new ProcessBuilder("kill", "-" + signal, pid)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor();
      if (status != 0) {
        throw new ClusterException("Process " + pid + " could not be sent SIG" + signal + ".");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClusterException("Interrupted while SIG" + signal + " was sent.");
    }
  }
}
