package io.quorate.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The main class of a node that must not outlive its parent process: {@code Main}, plus a thread
 * that reads standard input. Its end means that the parent has ended for any reason; the node then
 * stops as on SIGTERM.
 */
public final class NodeMain {
  /** Time after which a node that does not stop by itself is halted. */
  private static final int STOP_SECONDS_MAX = 30;

  private NodeMain() {}

  public static void main(String[] arguments) {
    daemon("parent-watch", NodeMain::stopWithParent);
    Main.main(arguments);
  }

  private static void stopWithParent() {
    awaitEnd(System.in);
    daemon("stop-watch", NodeMain::haltIfNotStopped);
    System.exit(0);
  }

  private static void awaitEnd(InputStream input) {
    try {
      input.transferTo(OutputStream.nullOutputStream());
    } catch (IOException e) {
      // A broken pipe has the same meaning as the end.
      return;
    }
  }

  private static void haltIfNotStopped() {
    try {
      new CountDownLatch(1).await(STOP_SECONDS_MAX, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Runtime.getRuntime().halt(1);
  }

  private static void daemon(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    thread.start();
  }
}
