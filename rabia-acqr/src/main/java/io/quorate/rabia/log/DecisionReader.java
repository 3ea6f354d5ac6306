package io.quorate.rabia.log;

import io.quorate.rabia.protocol.Decided;
import io.quorate.rabia.protocol.LogRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Reads decisions from a log that is being written, for a replica that is behind. Continues where
 * the last call ended, so that each segment is read about once. Blocks; one thread at a time.
 */
public final class DecisionReader {
  private final LogDirectory directory;
  private final Retention retention;
  private final int alpha;
  private Optional<DecisionScan> scan = Optional.empty();
  private SegmentReader segment;

  DecisionReader(LogDirectory directory, Retention retention, int alpha) {
    this.directory = directory;
    this.retention = retention;
    this.alpha = alpha;
  }

  /**
   * Reads consecutive decisions from a slot on, as many as there are up to the limits: the replica
   * that is behind has one request in flight, and would otherwise receive one decision a round
   * trip.
   *
   * @param bytesMax maximum bytes of batch bodies; one body may exceed it
   * @return empty if the log does not hold the slot's decision
   * @throws IOException if a segment cannot be read, or was deleted meanwhile
   */
  public List<Decided> read(long from, int slotsMax, int bytesMax) throws IOException {
    if (scan.isEmpty() || scan.get().next() != from) {
      OptionalLong first = retention.firstWith(from);
      if (first.isEmpty()) {
        return List.of();
      }
      scan = Optional.of(new DecisionScan(from, alpha));
      segment = SegmentReader.open(directory.segment(first.getAsLong()));
    }
    DecisionScan.Page page = new DecisionScan.Page(slotsMax, bytesMax);
    scan.get().fill(page, false);
    while (!page.isFull() && !scan.get().isBeyond()) {
      Optional<LogRecord> record = next();
      if (record.isEmpty()) {
        // The log may continue by the next call.
        scan.get().fill(page, true);
        scan = Optional.empty();
        return page.decided();
      }
      scan.get().add(record.get());
      scan.get().fill(page, false);
    }
    if (page.isEmpty()) {
      scan = Optional.empty();
    }
    return page.decided();
  }

  private Optional<LogRecord> next() throws IOException {
    Optional<LogRecord> record = segment.next();
    long following = segment.header().number() + 1;
    if (record.isEmpty() && Files.exists(directory.segment(following))) {
      segment = SegmentReader.open(directory.segment(following));
      record = segment.next();
    }
    return record;
  }
}
