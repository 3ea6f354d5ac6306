package io.quorate.server.dev;

import java.io.IOException;

/** Signals that Java has no call for. Blocks for a moment. */
final class Signals {
  private Signals() {}

  /** Stops the process' clock (SIGSTOP): it keeps its connections and answers nothing. */
  static void pause(ProcessHandle process) throws IOException {
    send("STOP", process);
  }

  /** Lets a paused process go on (SIGCONT); nothing to one that runs. */
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
