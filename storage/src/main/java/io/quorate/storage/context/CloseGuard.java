package io.quorate.storage.context;

import io.quorate.consensus.ConsensusException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Counts the threads that use a resource and makes {@link #close} wait for them: native memory must
 * not be freed while a thread uses it.
 */
public final class CloseGuard {
  private static final long CLOSED = Long.MIN_VALUE;

  /** Number of users; negative once closed. */
  private final AtomicLong state = new AtomicLong();

  private volatile Thread closer;

  /**
   * The failure of calls that wait for the storage when it closes, or would have to wait for it
   * later. {@link #enter} throws {@link IllegalStateException} instead.
   */
  public static ConsensusException closedFailure() {
    return new ConsensusException.Unavailable("The storage is closed.");
  }

  /** Enters unless closed. A thread that has entered must call {@link #leave}. */
  public boolean tryEnter() {
    if (state.incrementAndGet() > 0) {
      return true;
    }
    leave();
    return false;
  }

  /**
   * @throws IllegalStateException if closed
   */
  public void enter() {
    if (!tryEnter()) {
      throw new IllegalStateException("The storage is closed.");
    }
  }

  /** Leaves, which may let {@link #close} return. */
  public void leave() {
    if (state.decrementAndGet() == CLOSED) {
      LockSupport.unpark(closer);
    }
  }

  boolean isClosed() {
    return state.get() < 0;
  }

  /** Rejects new users and waits until all present ones have left. Called by one thread, once. */
  public void close() {
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
