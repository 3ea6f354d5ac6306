package io.quorate.server.localcluster;

import java.io.IOException;

/** Sends signals for which Java has no method. Blocks briefly. */
final class Signals {
  private Signals() {}

  /** Pauses the process (SIGSTOP): its connections stay open, but it does not respond. */
  static void pause(ProcessHandle process) throws IOException {
    send("STOP", process);
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
