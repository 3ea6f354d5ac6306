package io.quorate.storage.apply;

import io.quorate.consensus.ConsensusException;
import io.quorate.model.Position;
import io.quorate.storage.context.CloseGuard;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Futures that complete when a position becomes readable, or applied. Bounded in number. Any
 * thread.
 */
final class AppliedWaiters {
  /** Maximum number of waiters. Each takes about 100 bytes, so this bounds their memory as well. */
  static final int WAITERS_MAX = 1 << 16;

  private static final Duration RETRY_AFTER = Duration.ofMillis(100);

  /** For a position that is already reached. */
  static final CompletableFuture<Void> REACHED = CompletableFuture.completedFuture(null);

  private record Waiter(Position position, CompletableFuture<Void> done) {}

  private final PriorityQueue<Waiter> waiters =
      new PriorityQueue<>(Comparator.comparing(Waiter::position));
  private final Supplier<Position> readable;
  private boolean closed;

  /**
   * @param readable returns the current position; {@link #advanced} is called after each change of
   *     it
   */
  AppliedWaiters(Supplier<Position> readable) {
    this.readable = readable;
  }

  /**
   * @return completes when the position or a later one is readable. Fails with {@link
   *     ConsensusException.Overloaded} at {@link #WAITERS_MAX} waiters, and with {@link
   *     ConsensusException.Unavailable} when closed.
   */
  CompletionStage<Void> await(Position position) {
    return readable.get().covers(position) ? REACHED : enqueue(position);
  }

  private synchronized CompletionStage<Void> enqueue(Position position) {
    // Checked again under the lock: either this check sees the position, or advanced(), which needs
    // the lock, finds the waiter.
    if (readable.get().covers(position)) {
      return REACHED;
    }
    if (closed) {
      return CompletableFuture.failedFuture(CloseGuard.closedFailure());
    }
    if (waiters.size() >= WAITERS_MAX) {
      // Callers that gave up have completed their futures. Removing them takes a pass over all
      // waiters, so it is done only at the bound.
      waiters.removeIf(waiter -> waiter.done().isDone());
    }
    if (waiters.size() >= WAITERS_MAX) {
      return CompletableFuture.failedFuture(
          new ConsensusException.Overloaded(
              "At most " + WAITERS_MAX + " reads of a region can wait for a position.",
              RETRY_AFTER));
    }
    Waiter waiter = new Waiter(position, new CompletableFuture<>());
    waiters.add(waiter);
    return waiter.done();
  }

  /** Completes the waiters for the current position and earlier ones, on the calling thread. */
  void advanced() {
    List<Waiter> served = new ArrayList<>(0);
    synchronized (this) {
      Position position = readable.get();
      while (!waiters.isEmpty() && position.covers(waiters.peek().position())) {
        served.add(waiters.poll());
      }
    }
    served.forEach(waiter -> waiter.done().complete(null));
  }

  /** Completes every waiter, on the calling thread. */
  void releaseAll() {
    List<Waiter> remaining;
    synchronized (this) {
      remaining = new ArrayList<>(waiters);
      waiters.clear();
    }
    remaining.forEach(waiter -> waiter.done().complete(null));
  }

  synchronized int count() {
    return waiters.size();
  }

  /** Fails every waiter, present and future. */
  void close() {
    List<Waiter> remaining;
    synchronized (this) {
      closed = true;
      remaining = new ArrayList<>(waiters);
      waiters.clear();
    }
    remaining.forEach(waiter -> waiter.done().completeExceptionally(CloseGuard.closedFailure()));
  }
}
