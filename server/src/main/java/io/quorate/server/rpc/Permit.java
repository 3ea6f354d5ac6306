package io.quorate.server.rpc;

import io.quorate.common.Budget;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The admission of one request, from before its body is read until its response is written. Any
 * thread.
 */
final class Permit {
  private static final long RELEASED = -1;

  private final Budget connection;
  private final Budget node;

  /** The acquired bytes; {@link #RELEASED} afterwards. */
  private final AtomicLong held;

  private Permit(Budget connection, Budget node, long size) {
    this.connection = connection;
    this.node = node;
    this.held = new AtomicLong(size);
  }

  /** Empty, with both budgets unchanged, if either is exhausted. */
  static Optional<Permit> tryAcquire(Budget connection, Budget node, long size) {
    if (!connection.tryAcquire(size)) {
      return Optional.empty();
    }
    if (!node.tryAcquire(size)) {
      connection.release(size);
      return Optional.empty();
    }
    return Optional.of(new Permit(connection, node, size));
  }

  /** Adds the bytes of the response. Must not be called after {@link #release}. */
  void grow(long more) {
    held.addAndGet(more);
    connection.grow(more);
    node.grow(more);
  }

  /** Whether responses may still be produced: those that a client does not read use up budgets. */
  boolean hasCapacity() {
    return connection.hasCapacity() && node.hasCapacity();
  }

  /** Returns everything to both budgets. Further calls have no effect. */
  void release() {
    long size = held.getAndSet(RELEASED);
    if (size != RELEASED) {
      node.release(size);
      connection.release(size);
    }
  }
}
