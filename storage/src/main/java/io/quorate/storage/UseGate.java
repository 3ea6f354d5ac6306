package io.quorate.storage;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Lets many threads use something until one closes it, and makes that one wait for them: native
 * memory must not be freed while a thread is in it.
 */
final class UseGate {
  private static final long CLOSED = Long.MIN_VALUE;

  /** Number of users; negative once closed. */
  private final AtomicLong state = new AtomicLong();

  private volatile Thread closer;

  /** Enters unless closed. Who has entered must {@link #leave}. */
  boolean tryEnter() {
    if (state.incrementAndGet() > 0) {
      return true;
    }
    leave();
    return false;
  }

  /**
   * @throws IllegalStateException if closed
   */
  void enter() {
    if (!tryEnter()) {
      throw new IllegalStateException("The storage is closed.");
    }
  }

  void leave() {
    if (state.decrementAndGet() == CLOSED) {
      LockSupport.unpark(closer);
    }
  }

  boolean isClosed() {
    return state.get() < 0;
  }

  /** Lets nobody in any more and waits until everybody has left. Called by one thread, once. */
  void close() {
    closer = Thread.currentThread();
    long users = state.getAndAdd(CLOSED);
    boolean interrupted = false;
    while (users != 0 && state.get() != CLOSED) {
      LockSupport.park(this);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
