package io.quorate.storage;

import io.quorate.consensus.CommittedBatch;
import io.quorate.consensus.ConsensusException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Committed batches that wait to be applied, bounded in count and in bytes. Any thread.
 *
 * <p>A batch is always taken, since it is committed; over a bound, whoever hands it over is asked
 * to wait, so that the queue exceeds its bounds by one batch at most.
 */
final class ApplyQueue {
  private record Waiting(CommittedBatch batch, long bytes) {}

  private static final CompletableFuture<Void> ROOM = CompletableFuture.completedFuture(null);

  private final int batchesMost;
  private final long bytesMost;
  private final Deque<Waiting> waiting = new ArrayDeque<>();
  private long bytes;
  private CompletableFuture<Void> room = ROOM;
  private boolean closed;

  ApplyQueue(int batchesMost, long bytesMost) {
    this.batchesMost = batchesMost;
    this.bytesMost = bytesMost;
  }

  /**
   * Adds a batch at the end.
   *
   * @return completes when there is room for another one; fails when the queue is closed
   */
  synchronized CompletionStage<Void> add(CommittedBatch batch) {
    if (closed) {
      return CompletableFuture.failedFuture(closedFailure());
    }
    long size = 0;
    for (ByteBuffer command : batch.commands()) {
      size += command.remaining();
    }
    waiting.add(new Waiting(batch, size));
    bytes += size;
    if (!hasRoom() && room.isDone()) {
      room = new CompletableFuture<>();
    }
    return room;
  }

  /** The batches at the front: at least one if there is one, and more within the limits given. */
  synchronized List<CommittedBatch> front(int commandsMost, long frontBytesMost) {
    List<CommittedBatch> front = new ArrayList<>();
    int commands = 0;
    long size = 0;
    for (Waiting next : waiting) {
      commands += next.batch().commands().size();
      size += next.bytes();
      if (!front.isEmpty() && (commands > commandsMost || size > frontBytesMost)) {
        break;
      }
      front.add(next.batch());
    }
    return front;
  }

  /** Takes batches away from the front and says so to who waits for room. */
  void remove(int batches) {
    CompletableFuture<Void> granted;
    synchronized (this) {
      for (int i = 0; i < batches && !waiting.isEmpty(); i++) {
        bytes -= waiting.remove().bytes();
      }
      if (!hasRoom()) {
        return;
      }
      granted = room;
    }
    granted.complete(null);
  }

  private boolean hasRoom() {
    return waiting.size() < batchesMost && bytes < bytesMost;
  }

  synchronized boolean isEmpty() {
    return waiting.isEmpty();
  }

  synchronized int batches() {
    return waiting.size();
  }

  synchronized long bytes() {
    return bytes;
  }

  /** Drops what waits and fails who waits for room. */
  void close() {
    CompletableFuture<Void> refused;
    synchronized (this) {
      closed = true;
      waiting.clear();
      bytes = 0;
      refused = room;
    }
    refused.completeExceptionally(closedFailure());
  }

  static ConsensusException closedFailure() {
    return new ConsensusException.Unavailable("The storage is closed.");
  }
}
