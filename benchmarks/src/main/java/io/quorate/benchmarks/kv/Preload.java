package io.quorate.benchmarks.kv;

import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;
import java.util.random.RandomGenerator;

/** Writes every key once, so that reads find a value. */
final class Preload {
  private static final int IN_FLIGHT_MAX = 128;
  private static final int BYTES_IN_FLIGHT_MAX = 16 << 20;
  private static final long SEED = 7;

  private final List<KeyValueCalls> connections;
  private final KeySpace keys;
  private final RandomValues values;
  private final int inFlightMax;
  private final LongConsumer onWritten;
  private final AtomicInteger next = new AtomicInteger();

  /**
   * @param inFlightMax maximum number of writes in flight
   */
  Preload(List<KeyValueCalls> connections, KeySpace keys, RandomValues values, int inFlightMax) {
    this(connections, keys, values, inFlightMax, nanos -> {});
  }

  /**
   * @param inFlightMax maximum number of writes in flight
   * @param onWritten called with the latency of each write in nanoseconds; by many threads
   */
  Preload(
      List<KeyValueCalls> connections,
      KeySpace keys,
      RandomValues values,
      int inFlightMax,
      LongConsumer onWritten) {
    this.connections = List.copyOf(connections);
    this.keys = keys;
    this.values = values;
    this.inFlightMax = inFlightMax;
    this.onWritten = onWritten;
  }

  /** Completes when all keys are written, or fails after the write of a key has failed. */
  CompletableFuture<Void> run() {
    SplittableRandom seeds = new SplittableRandom(SEED);
    CompletableFuture<?>[] lanes = new CompletableFuture<?>[Math.min(inFlightMax, keys.count())];
    for (int i = 0; i < lanes.length; i++) {
      Lane lane = new Lane(connections.get(i % connections.size()), seeds.split());
      lanes[i] = lane.done;
      lane.writeKeys();
    }
    return CompletableFuture.allOf(lanes);
  }

  /** A number of writes in flight for values of this length: fewer for long ones, at least 1. */
  static int inFlightMax(int valueBytes) {
    return Math.max(1, Math.min(IN_FLIGHT_MAX, BYTES_IN_FLIGHT_MAX / Math.max(1, valueBytes)));
  }

  /** The number of writes sent. */
  int sent() {
    return Math.min(next.get(), keys.count());
  }

  /** Sends one write at a time, each of the next key that no other lane has taken. */
  private final class Lane {
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private final KeyValueCalls calls;
    private final RandomGenerator random;

    Lane(KeyValueCalls calls, RandomGenerator random) {
      this.calls = calls;
      this.random = random;
    }

    /** Sends writes until one does not complete immediately; its completion continues here. */
    void writeKeys() {
      while (true) {
        int number = next.getAndUpdate(taken -> Math.min(taken + 1, keys.count()));
        if (number == keys.count()) {
          done.complete(null);
          return;
        }
        long sent = System.nanoTime();
        CompletableFuture<?> write =
            calls.put(keys.key(number), values.any(random)).toCompletableFuture();
        if (!write.isDone() || write.isCompletedExceptionally()) {
          write.whenComplete((result, failure) -> resume(sent, failure));
          return;
        }
        onWritten.accept(System.nanoTime() - sent);
      }
    }

    private void resume(long sent, Throwable failure) {
      if (failure == null) {
        onWritten.accept(System.nanoTime() - sent);
        writeKeys();
      } else {
        done.completeExceptionally(failure);
      }
    }
  }
}
