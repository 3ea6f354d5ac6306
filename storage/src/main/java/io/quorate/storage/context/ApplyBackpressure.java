package io.quorate.storage.context;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Back-pressure by count and bytes: a caller that adds a delivery is signalled to wait while a
 * bound is reached. A delivery is always accepted, so the bounds are exceeded by at most one
 * delivery. Any thread.
 */
public final class ApplyBackpressure {
  private static final CompletableFuture<Void> GRANTED = CompletableFuture.completedFuture(null);

  private final long countMax;
  private final long bytesMax;
  private long count;
  private long bytes;
  private CompletableFuture<Void> next = GRANTED;
  private boolean closed;

  public ApplyBackpressure(long countMax, long bytesMax) {
    this.countMax = countMax;
    this.bytesMax = bytesMax;
  }

  /**
   * Adds a delivery.
   *
   * @return completes when there is capacity for another delivery; fails when closed
   */
  public synchronized CompletionStage<Void> acquire(long addedCount, long addedBytes) {
    if (closed) {
      return CompletableFuture.failedFuture(CloseGuard.closedFailure());
    }
    count += addedCount;
    bytes += addedBytes;
    if (!hasCapacity() && next.isDone()) {
      next = new CompletableFuture<>();
    }
    return next;
  }

  /** Returns capacity. Completes the future of waiting callers on the calling thread. */
  public void release(long releasedCount, long releasedBytes) {
    CompletableFuture<Void> granted;
    synchronized (this) {
      if (closed) {
        return;
      }
      count -= releasedCount;
      bytes -= releasedBytes;
      if (!hasCapacity()) {
        return;
      }
      granted = next;
    }
    granted.complete(null);
  }

  private boolean hasCapacity() {
    return count < countMax && bytes < bytesMax;
  }

  /** Count of the deliveries that are not released. */
  public synchronized long count() {
    return count;
  }

  /** Bytes of the deliveries that are not released. */
  public synchronized long bytes() {
    return bytes;
  }

  /** Fails waiting callers and later calls of {@link #acquire}. */
  public void close() {
    CompletableFuture<Void> pending;
    synchronized (this) {
      closed = true;
      count = 0;
      bytes = 0;
      pending = next;
    }
    pending.completeExceptionally(CloseGuard.closedFailure());
  }
}
