package io.quorate.rabia.log;

import io.netty.buffer.ByteBuf;
import io.quorate.model.Position;
import io.quorate.rabia.RabiaPoints;
import io.quorate.rabia.protocol.LogRecord;
import java.io.IOException;
import java.nio.file.Files;

/** The segments of an open log. All methods block; one thread at a time. */
final class LogFiles implements AutoCloseable {
  private final LogDirectory directory;
  private final LogEnd end;
  private final LogIdentity identity;
  private final LogSettings settings;
  private final LogCounters counters;
  private final Retention retention;
  private SegmentFile current;

  LogFiles(
      LogDirectory directory,
      LogEnd end,
      LogIdentity identity,
      LogSettings settings,
      LogCounters counters,
      LogRecovery.Recovered recovered) {
    this.directory = directory;
    this.end = end;
    this.identity = identity;
    this.settings = settings;
    this.counters = counters;
    this.retention = recovered.retention();
    this.current = recovered.last();
    counters.onDisk(recovered.bytes());
  }

  /** The number of the current segment. */
  long segment() {
    return current.number();
  }

  /** The offset of the next record in the current segment. */
  long position() {
    return current.position();
  }

  boolean isFull() {
    return current.position() >= settings.segmentBytes();
  }

  /** Registers a record that will be written to the current segment. */
  void note(LogRecord record, long sequence) {
    retention.note(record, sequence);
  }

  void append(ByteBuf records) throws IOException {
    RabiaPoints.BEFORE_WRITE.reached(identity);
    long before = current.size();
    current.append(records);
    counters.onDisk(current.size() - before);
    RabiaPoints.AFTER_WRITE.reached(identity);
  }

  /**
   * Makes the records durable that were written.
   *
   * @param through the last one
   */
  void sync(long through) throws IOException {
    RabiaPoints.BEFORE_SYNC.reached(identity);
    long before = current.size();
    current.sync();
    counters.onDisk(current.size() - before);
    end.advance(through);
    RabiaPoints.AFTER_SYNC.reached(identity);
  }

  /** Begins the next segment. Everything written before is durable. */
  void roll(long first) throws IOException {
    RabiaPoints.BEFORE_ROLL.reached(identity);
    SegmentHeader header = new SegmentHeader(current.number() + 1, first, identity);
    SegmentFile next = SegmentFile.create(directory, header);
    SegmentFile full = current;
    current = next;
    retention.begin(next.number());
    counters.onDisk(next.size());
    full.close();
    RabiaPoints.AFTER_ROLL.reached(identity);
    end.begin(new LogEnd.Mark(next.number(), first - 1));
  }

  /** Deletes unneeded segments, the oldest first, so that a crash leaves no gap. */
  void release(Position through, long durable) throws IOException {
    for (long segment : retention.release(through, durable)) {
      RabiaPoints.BEFORE_DELETE.reached(identity);
      long size = Files.size(directory.segment(segment));
      directory.delete(segment);
      counters.onDisk(-size);
      RabiaPoints.AFTER_DELETE.reached(identity);
    }
  }

  @Override
  public void close() throws IOException {
    try {
      current.close();
    } finally {
      end.close();
    }
  }
}
