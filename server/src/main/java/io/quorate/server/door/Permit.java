package io.quorate.server.door;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One request's place among those in flight, from before its body is read until its answer is
 * written. Any thread.
 */
final class Permit {
  private final InFlightBudget connection;
  private final InFlightBudget node;
  private final AtomicLong held;
  private final AtomicBoolean released = new AtomicBoolean();

  private Permit(InFlightBudget connection, InFlightBudget node, long size) {
    this.connection = connection;
    this.node = node;
    this.held = new AtomicLong(size);
  }

  /** Empty, with nothing changed, if either budget is exhausted. */
  static Optional<Permit> tryAcquire(InFlightBudget connection, InFlightBudget node, long size) {
    if (!connection.tryAdmit(size)) {
      return Optional.empty();
    }
    if (!node.tryAdmit(size)) {
      connection.release(size);
      return Optional.empty();
    }
    return Optional.of(new Permit(connection, node, size));
  }

  /** Counts the bytes of the answer too. Not after {@link #release}. */
  void grow(long more) {
    held.addAndGet(more);
    connection.grow(more);
    node.grow(more);
  }

  /** Whether answers may still be produced: whoever does not read them uses up the budgets. */
  boolean hasRoom() {
    return connection.hasRoom() && node.hasRoom();
  }

  /** Gives everything back. A second call does nothing. */
  void release() {
    if (released.compareAndSet(false, true)) {
      long size = held.get();
      node.release(size);
      connection.release(size);
    }
  }
}
