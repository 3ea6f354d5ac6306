package io.quorate.rabia.log;

import io.quorate.model.Position;
import io.quorate.rabia.protocol.LogRecord;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * Determines which segments are still needed (S1). No I/O. Thread-safe.
 *
 * <p>Segments are released from the oldest on, up to the first one that has a record of a slot that
 * is not settled, or the checkpoint from which the replica would start.
 */
final class Retention {
  private static final class Segment {
    private final long number;
    private long lastSlot = Long.MIN_VALUE;

    private Segment(long number) {
      this.number = number;
    }
  }

  private record Checkpoint(Position at, long sequence, long segment) {}

  private final ArrayDeque<Segment> segments = new ArrayDeque<>();
  private final ArrayDeque<Checkpoint> checkpoints = new ArrayDeque<>();

  /** Registers a segment, to which records are written from now on. */
  synchronized void begin(long segment) {
    segments.add(new Segment(segment));
  }

  /** Registers a record of the segment begun last. */
  synchronized void note(LogRecord record, long sequence) {
    Segment segment = segments.getLast();
    if (record instanceof LogRecord.OfSlot ofSlot) {
      segment.lastSlot = Math.max(segment.lastSlot, ofSlot.at().index());
    } else if (record instanceof LogRecord.Checkpointed checkpointed) {
      checkpoints.add(new Checkpoint(checkpointed.checkpoint().at(), sequence, segment.number));
    }
  }

  /** The first segment that may hold a record of the slot; empty if all records are older. */
  synchronized OptionalLong firstWith(long slot) {
    return segments.stream()
        .filter(segment -> segment.lastSlot >= slot)
        .mapToLong(segment -> segment.number)
        .findFirst();
  }

  /**
   * Removes the segments that are not needed any more.
   *
   * @param through slots up to here are settled
   * @param durable the last durable record; later checkpoints do not count
   * @return the numbers of the removed segments, ascending
   */
  synchronized List<Long> release(Position through, long durable) {
    Checkpoint last = null;
    for (Checkpoint checkpoint : checkpoints) {
      if (checkpoint.sequence() <= durable && through.covers(checkpoint.at())) {
        last = checkpoint;
      }
    }
    List<Long> released = new ArrayList<>();
    if (last == null) {
      return released;
    }
    while (segments.getFirst().number < last.segment()
        && segments.getFirst().lastSlot <= through.index()) {
      released.add(segments.removeFirst().number);
    }
    while (checkpoints.getFirst() != last) {
      checkpoints.removeFirst();
    }
    return released;
  }
}
