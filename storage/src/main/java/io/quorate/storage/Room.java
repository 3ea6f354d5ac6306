package io.quorate.storage;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Asks whoever brings something to wait while more is held than a bound in count or bytes allows.
 * What is brought is always taken, so that the bounds are exceeded by one delivery at most. Any
 * thread.
 */
final class Room {
  private static final CompletableFuture<Void> GRANTED = CompletableFuture.completedFuture(null);

  private final long countMost;
  private final long bytesMost;
  private long count;
  private long bytes;
  private CompletableFuture<Void> next = GRANTED;
  private boolean closed;

  Room(long countMost, long bytesMost) {
    this.countMost = countMost;
    this.bytesMost = bytesMost;
  }

  /**
   * Takes room for a delivery.
   *
   * @return completes when there is room for another one; fails when closed
   */
  synchronized CompletionStage<Void> take(long moreCount, long moreBytes) {
    if (closed) {
      return CompletableFuture.failedFuture(ApplyQueue.closedFailure());
    }
    count += moreCount;
    bytes += moreBytes;
    if (!isGranted() && next.isDone()) {
      next = new CompletableFuture<>();
    }
    return next;
  }

  /** Gives room back, and says so, on the calling thread, to who waits for it. */
  void giveBack(long lessCount, long lessBytes) {
    CompletableFuture<Void> granted;
    synchronized (this) {
      if (closed) {
        return;
      }
      count -= lessCount;
      bytes -= lessBytes;
      if (!isGranted()) {
        return;
      }
      granted = next;
    }
    granted.complete(null);
  }

  private boolean isGranted() {
    return count < countMost && bytes < bytesMost;
  }

  synchronized long count() {
    return count;
  }

  synchronized long bytes() {
    return bytes;
  }

  /** Fails who waits, and who comes. */
  void close() {
    CompletableFuture<Void> refused;
    synchronized (this) {
      closed = true;
      count = 0;
      bytes = 0;
      refused = next;
    }
    refused.completeExceptionally(ApplyQueue.closedFailure());
  }
}
