package io.quorate.storage;

import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.Position;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Who waits for a position to be readable, or applied, bounded in count. Any thread. */
final class ReadableWaiters {
  /** Most that wait at once; each takes about 100 bytes, so that this bounds bytes as well. */
  static final int WAITERS_MOST = 1 << 16;

  private static final Duration RETRY_AFTER = Duration.ofMillis(100);

  /** What needs no waiting. */
  static final CompletableFuture<Void> REACHED = CompletableFuture.completedFuture(null);

  private record Waiter(Position position, CompletableFuture<Void> done) {}

  private final PriorityQueue<Waiter> waiters =
      new PriorityQueue<>(Comparator.comparing(Waiter::position));
  private final Supplier<Position> readable;
  private boolean closed;

  /**
   * @param readable the present position; {@link #advanced} is called after each change of it
   */
  ReadableWaiters(Supplier<Position> readable) {
    this.readable = readable;
  }

  /**
   * @return completes when the position or a later one is readable; fails as overloaded if too many
   *     wait, as unavailable when closed
   */
  CompletionStage<Void> await(Position position) {
    return readable.get().covers(position) ? REACHED : enqueue(position);
  }

  private synchronized CompletionStage<Void> enqueue(Position position) {
    // Looked at again now that advanced() has to wait: it will find the waiter, or this the
    // position.
    if (readable.get().covers(position)) {
      return REACHED;
    }
    if (closed) {
      return CompletableFuture.failedFuture(ApplyQueue.closedFailure());
    }
    if (waiters.size() >= WAITERS_MOST) {
      // Callers that gave up complete their stage themselves; only then is it worth looking.
      waiters.removeIf(waiter -> waiter.done().isDone());
    }
    if (waiters.size() >= WAITERS_MOST) {
      return CompletableFuture.failedFuture(
          new ConsensusException.Overloaded(
              "At most " + WAITERS_MOST + " reads of a region wait for what they must see.",
              RETRY_AFTER));
    }
    Waiter waiter = new Waiter(position, new CompletableFuture<>());
    waiters.add(waiter);
    return waiter.done();
  }

  /** Lets go who waits for the present position or an earlier one, on the calling thread. */
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

  /** Lets everyone go who waits, on the calling thread. */
  void letGo() {
    List<Waiter> left;
    synchronized (this) {
      left = new ArrayList<>(waiters);
      waiters.clear();
    }
    left.forEach(waiter -> waiter.done().complete(null));
  }

  synchronized int count() {
    return waiters.size();
  }

  /** Fails everyone who waits, and everyone who comes to wait. */
  void close() {
    List<Waiter> left;
    synchronized (this) {
      closed = true;
      left = new ArrayList<>(waiters);
      waiters.clear();
    }
    left.forEach(waiter -> waiter.done().completeExceptionally(ApplyQueue.closedFailure()));
  }
}
