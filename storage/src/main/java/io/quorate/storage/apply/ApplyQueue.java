package io.quorate.storage.apply;

import io.quorate.storage.context.ApplyBackpressure;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;

/**
 * Committed batches that wait to be applied, bounded in count and in bytes. Any thread.
 *
 * <p>A batch is always accepted, since it is committed. At a bound the queue applies back-pressure
 * to the caller, so the bounds are exceeded by at most one batch.
 */
final class ApplyQueue {
  /**
   * The number of waiting commands, twice those of an iteration, from which on further batches wait
   * without the decoded forms of their commands, so that these take some MiB at most.
   */
  static final int DECODED_COMMANDS_MAX = 8192;

  /**
   * @param nanos the time of its arrival, on a monotonic clock
   */
  private record Waiting(DecodedBatch batch, long nanos) {}

  private final LongSupplier nanoClock;
  private final ApplyBackpressure backpressure;
  private final Deque<Waiting> waiting = new ArrayDeque<>();

  /** The commands of the waiting batches. */
  private long commands;

  private boolean closed;

  /**
   * @param nanoClock like {@link System#nanoTime}
   */
  ApplyQueue(int batchesMax, long bytesMax, LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
    this.backpressure = new ApplyBackpressure(batchesMax, bytesMax);
  }

  /**
   * Adds a batch at the end.
   *
   * @return completes when there is capacity for another batch; fails when the queue is closed
   */
  synchronized CompletionStage<Void> add(DecodedBatch batch) {
    if (!closed) {
      commands += batch.size();
      if (commands > DECODED_COMMANDS_MAX) {
        batch.release();
      }
      waiting.add(new Waiting(batch, nanoClock.getAsLong()));
    }
    return backpressure.acquire(1, batch.bytes());
  }

  /** All waiting batches, the oldest first. */
  synchronized List<DecodedBatch> all() {
    return waiting.stream().map(Waiting::batch).toList();
  }

  /**
   * The batches at the front: at least one if the queue is not empty, and more within the limits.
   */
  synchronized List<DecodedBatch> front(int commandsMax, long frontBytesMax) {
    List<DecodedBatch> front = new ArrayList<>();
    int count = 0;
    long size = 0;
    for (Waiting next : waiting) {
      count += next.batch().size();
      size += next.batch().bytes();
      if (!front.isEmpty() && (count > commandsMax || size > frontBytesMax)) {
        break;
      }
      front.add(next.batch());
    }
    return front;
  }

  /**
   * Removes batches from the front and returns their capacity to waiting callers.
   *
   * @return the nanoseconds that the removed batches waited, summed over their commands
   */
  long remove(int batches) {
    int removed = 0;
    long bytes = 0;
    long waitedNanos = 0;
    long now = nanoClock.getAsLong();
    synchronized (this) {
      for (; removed < batches && !waiting.isEmpty(); removed++) {
        Waiting first = waiting.remove();
        bytes += first.batch().bytes();
        commands -= first.batch().size();
        waitedNanos += (now - first.nanos()) * first.batch().size();
      }
    }
    backpressure.release(removed, bytes);
    return waitedNanos;
  }

  synchronized boolean isEmpty() {
    return waiting.isEmpty();
  }

  synchronized int batches() {
    return waiting.size();
  }

  long bytes() {
    return backpressure.bytes();
  }

  /** Drops the waiting batches and fails callers that wait for capacity. */
  void close() {
    synchronized (this) {
      closed = true;
      waiting.clear();
      commands = 0;
    }
    backpressure.close();
  }
}
