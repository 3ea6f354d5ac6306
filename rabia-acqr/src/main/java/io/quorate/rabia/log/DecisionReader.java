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
   * Reads consecutive decisions from a slot on.
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
    List<Decided> found = scan.get().take(slotsMax, bytesMax, false);
    while (found.isEmpty() && !scan.get().isBeyond()) {
      Optional<LogRecord> record = next();
      if (record.isEmpty()) {
        // The log may continue by the next call.
        found = scan.get().take(slotsMax, bytesMax, true);
        scan = Optional.empty();
        return found;
      }
      scan.get().add(record.get());
      found = scan.get().take(slotsMax, bytesMax, false);
    }
    if (found.isEmpty()) {
      scan = Optional.empty();
    }
    return found;
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
