package io.quorate.storage;

import io.quorate.consensus.CommittedBatch;
import io.quorate.consensus.ConsensusException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Committed batches that wait to be applied, bounded in count and in bytes. Any thread.
 *
 * <p>A batch is always taken, since it is committed; over a bound, whoever hands it over is asked
 * to wait, so that the queue exceeds its bounds by one batch at most.
 */
final class ApplyQueue {
  private record Waiting(CommittedBatch batch, long bytes) {}

  private final Room room;
  private final Deque<Waiting> waiting = new ArrayDeque<>();
  private boolean closed;

  ApplyQueue(int batchesMost, long bytesMost) {
    this.room = new Room(batchesMost, bytesMost);
  }

  /**
   * Adds a batch at the end.
   *
   * @return completes when there is room for another one; fails when the queue is closed
   */
  synchronized CompletionStage<Void> add(CommittedBatch batch) {
    long size = bytes(batch);
    if (!closed) {
      waiting.add(new Waiting(batch, size));
    }
    return room.take(1, size);
  }

  /** What the commands of a batch take. */
  static long bytes(CommittedBatch batch) {
    long size = 0;
    for (ByteBuffer command : batch.commands()) {
      size += command.remaining();
    }
    return size;
  }

  /** Everything that waits, the oldest first. */
  synchronized List<CommittedBatch> all() {
    return waiting.stream().map(Waiting::batch).toList();
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
    int removed = 0;
    long bytes = 0;
    synchronized (this) {
      for (; removed < batches && !waiting.isEmpty(); removed++) {
        bytes += waiting.remove().bytes();
      }
    }
    room.giveBack(removed, bytes);
  }

  synchronized boolean isEmpty() {
    return waiting.isEmpty();
  }

  synchronized int batches() {
    return waiting.size();
  }

  long bytes() {
    return room.bytes();
  }

  /** Drops what waits and fails who waits for room. */
  void close() {
    synchronized (this) {
      closed = true;
      waiting.clear();
    }
    room.close();
  }

  static ConsensusException closedFailure() {
    return new ConsensusException.Unavailable("The storage is closed.");
  }
}
