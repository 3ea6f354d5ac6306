package io.quorate.benchmarks.kv;

import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;

/** Writes every key once, so that reads find something. */
final class Preload {
  private static final int IN_FLIGHT = 128;
  private static final long SEED = 7;

  private final List<KeyValueCalls> connections;
  private final KeySpace keys;
  private final Values values;
  private final AtomicInteger next = new AtomicInteger();

  Preload(List<KeyValueCalls> connections, KeySpace keys, Values values) {
    this.connections = List.copyOf(connections);
    this.keys = keys;
    this.values = values;
  }

  /** Completes when all keys are written, or fails after a key that could not be. */
  CompletableFuture<Void> run() {
    SplittableRandom seeds = new SplittableRandom(SEED);
    CompletableFuture<?>[] lanes = new CompletableFuture<?>[Math.min(IN_FLIGHT, keys.count())];
    for (int i = 0; i < lanes.length; i++) {
      Lane lane = new Lane(connections.get(i % connections.size()), seeds.split());
      lanes[i] = lane.done;
      lane.writeOn();
    }
    return CompletableFuture.allOf(lanes);
  }

  /** How many writes were sent. */
  int sent() {
    return Math.min(next.get(), keys.count());
  }

  /** One write at a time, each of the next key that nobody has taken. */
  private final class Lane {
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private final KeyValueCalls calls;
    private final RandomGenerator random;

    Lane(KeyValueCalls calls, RandomGenerator random) {
      this.calls = calls;
      this.random = random;
    }

    /** Goes on until a write is not answered at once; its answer comes back here. */
    void writeOn() {
      while (true) {
        int number = next.getAndUpdate(taken -> Math.min(taken + 1, keys.count()));
        if (number == keys.count()) {
          done.complete(null);
          return;
        }
        CompletableFuture<?> write =
            calls.put(keys.key(number), values.any(random)).toCompletableFuture();
        if (!write.isDone() || write.isCompletedExceptionally()) {
          write.whenComplete((answer, failure) -> resume(failure));
          return;
        }
      }
    }

    private void resume(Throwable failure) {
      if (failure == null) {
        writeOn();
      } else {
        done.completeExceptionally(failure);
      }
    }
  }
}
