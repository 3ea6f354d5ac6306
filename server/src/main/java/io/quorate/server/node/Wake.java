package io.quorate.server.node;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Ends the pause of a thread early. Raised by any thread, awaited by one; raising never blocks. */
final class Wake {
  private final Semaphore raised = new Semaphore(0);
  private volatile boolean closed;

  /** Ends the present pause, or the next one if there is none. */
  void raise() {
    raised.release();
  }

  /** Ends every pause from now on. */
  void close() {
    closed = true;
    raise();
  }

  boolean isClosed() {
    return closed;
  }

  /**
   * Waits until this is raised, at most for the given time.
   *
   * @return false if this is closed
   */
  boolean await(long millis) throws InterruptedException {
    if (!closed && raised.tryAcquire(millis, TimeUnit.MILLISECONDS)) {
      raised.drainPermits();
    }
    return !closed;
  }
}
