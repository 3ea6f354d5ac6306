package io.quorate.server.rpc.request;

import io.quorate.common.Budget;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The admission of one request, from before its body is read until its response is written. Any
 * thread.
 */
public final class Permit {
  private static final long RELEASED = -1;

  private final Budget connection;
  private final Budget node;

  /** The acquired bytes; {@link #RELEASED} afterwards. */
  private final AtomicLong held;

  /** Those of the held bytes that are for the response. */
  private final AtomicLong reserved = new AtomicLong();

  private Permit(Budget connection, Budget node, long size) {
    this.connection = connection;
    this.node = node;
    this.held = new AtomicLong(size);
  }

  /** Empty, with both budgets unchanged, if either is exhausted. */
  public static Optional<Permit> tryAcquire(Budget connection, Budget node, long size) {
    if (!connection.tryAcquire(size)) {
      return Optional.empty();
    }
    if (!node.tryAcquire(size)) {
      connection.release(size);
      return Optional.empty();
    }
    return Optional.of(new Permit(connection, node, size));
  }

  /**
   * Acquires bytes for the response before it is produced.
   *
   * @return false, with both budgets unchanged, if either is exhausted or the request has ended
   */
  public boolean tryReserve(long more) {
    if (!tryGrow(more)) {
      return false;
    }
    reserved.addAndGet(more);
    return true;
  }

  /**
   * Acquires more bytes for the request.
   *
   * @return false, with both budgets unchanged, if either is exhausted or the request has ended
   */
  public boolean tryGrow(long more) {
    if (!connection.tryGrow(more)) {
      return false;
    }
    if (!node.tryGrow(more)) {
      connection.grow(-more);
      return false;
    }
    long before = held.get();
    while (before != RELEASED) {
      long witness = held.compareAndExchange(before, before + more);
      if (witness == before) {
        return true;
      }
      before = witness;
    }
    node.grow(-more);
    connection.grow(-more);
    return false;
  }

  /**
   * Adds the bytes of the response, except those that were reserved. Must not be called after
   * {@link #release}.
   */
  public void grow(long responseBytes) {
    long more = Math.max(0, responseBytes - reserved.get());
    held.addAndGet(more);
    connection.grow(more);
    node.grow(more);
  }

  /**
   * Whether the response may be produced: because bytes are reserved for it, or the budgets are not
   * exhausted, as by responses that a client does not read.
   */
  public boolean hasCapacity() {
    return reserved.get() > 0 || connection.hasCapacity() && node.hasCapacity();
  }

  /** Returns everything to both budgets. Further calls have no effect. */
  public void release() {
    long size = held.getAndSet(RELEASED);
    if (size != RELEASED) {
      node.release(size);
      connection.release(size);
    }
  }
}
