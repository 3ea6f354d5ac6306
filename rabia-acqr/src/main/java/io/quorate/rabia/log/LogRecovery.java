package io.quorate.rabia.log;

import io.quorate.common.DamagedLogException;
import io.quorate.rabia.protocol.LogRecord;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a log when it is opened, cuts a torn write at its end, and makes durable what it has read.
 * Blocks. Used once.
 */
final class LogRecovery {
  private static final Logger LOG = LoggerFactory.getLogger(LogRecovery.class);

  /** A checkpoint in the log, with the file and offset of its record. */
  record FoundCheckpoint(LogRecord.Checkpointed record, Path file, int offset) {}

  /**
   * @param segments the numbers of all segments, ascending
   * @param bytes total length of all segments
   * @param next sequence number of the next record
   * @param checkpoints in the order of the log
   */
  record Recovered(
      List<Long> segments,
      SegmentFile last,
      Retention retention,
      long bytes,
      long next,
      List<FoundCheckpoint> checkpoints) {}

  private final LogDirectory directory;
  private final LogEnd end;
  private final LogIdentity identity;
  private final Retention retention = new Retention();
  private final List<FoundCheckpoint> checkpoints = new ArrayList<>();

  LogRecovery(LogDirectory directory, LogEnd end, LogIdentity identity) {
    this.directory = directory;
    this.end = end;
    this.identity = identity;
  }

  /**
   * @throws DamagedLogException if a record is missing that may have been durable
   * @throws ForeignLogException if it is the log of another replica
   */
  Recovered recover() throws IOException {
    directory.deleteUnfinished();
    List<Long> numbers = directory.segments();
    Optional<LogEnd.Mark> noted = end.read();
    requireNewest(numbers, noted);
    if (numbers.isEmpty()) {
      retention.begin(1);
      SegmentHeader first = new SegmentHeader(1, 1, identity);
      SegmentFile file = SegmentFile.create(directory, first);
      note(file, 0);
      return new Recovered(List.of(1L), file, retention, file.size(), 1, checkpoints);
    }
    SegmentReader previous = null;
    for (long number : numbers) {
      SegmentReader segment = open(number, previous);
      retention.begin(number);
      read(segment);
      previous = segment;
    }
    requireDurable(previous, noted);
    cutTornTail(previous);
    directory.sync();
    long bytes = 0;
    for (long number : numbers) {
      bytes += Files.size(directory.segment(number));
    }
    SegmentFile last = SegmentFile.reopen(previous);
    note(last, previous.sequence() - 1);
    return new Recovered(numbers, last, retention, bytes, previous.sequence(), checkpoints);
  }

  /** Closes the file if that fails, for example because the start of the node is interrupted. */
  private void note(SegmentFile last, long record) throws IOException {
    try {
      end.begin(new LogEnd.Mark(last.number(), record));
    } catch (IOException | RuntimeException e) {
      last.closeAfter(e);
      throw e;
    }
  }

  /** A crash may leave a segment that is not recorded yet, but no recorded one may be missing. */
  private void requireNewest(List<Long> numbers, Optional<LogEnd.Mark> noted)
      throws DamagedLogException {
    long last = numbers.isEmpty() ? 0 : numbers.get(numbers.size() - 1);
    if (noted.isPresent() && last < noted.get().segment()) {
      throw LogDamage.at(
          directory.segment(noted.get().segment()),
          0,
          String.format(
              Locale.ROOT, "the file is missing, and %s names it as the newest one", end.file()));
    }
  }

  /** No record may be missing that was durable when the process ended. */
  private void requireDurable(SegmentReader segment, Optional<LogEnd.Mark> noted)
      throws DamagedLogException {
    if (noted.isPresent() && segment.sequence() <= noted.get().record()) {
      throw LogDamage.at(
          segment.file(),
          segment.offset(),
          String.format(
              Locale.ROOT,
              "record %d cannot be read, and %s states that all up to record %d were durable",
              segment.sequence(),
              end.file(),
              noted.get().record()));
    }
  }

  private SegmentReader open(long number, SegmentReader previous) throws IOException {
    if (previous != null && number != previous.header().number() + 1) {
      Path missing = directory.segment(previous.header().number() + 1);
      throw LogDamage.at(missing, 0, "the file is missing");
    }
    SegmentReader segment = SegmentReader.open(directory.segment(number));
    SegmentHeader header = segment.header();
    if (!header.identity().equals(identity)) {
      throw new ForeignLogException(segment.file(), header.identity(), identity);
    }
    if (header.number() != number) {
      throw LogDamage.at(segment.file(), 0, "it was written as segment " + header.number());
    }
    if (previous != null) {
      requireComplete(previous, header.first());
    }
    return segment;
  }

  /** A segment was durable before the next one was begun. */
  private static void requireComplete(SegmentReader segment, long firstOfNext)
      throws DamagedLogException {
    if (segment.sequence() != firstOfNext) {
      throw LogDamage.at(
          segment.file(),
          segment.offset(),
          String.format(
              Locale.ROOT,
              "record %d cannot be read, and the next file begins with record %d",
              segment.sequence(),
              firstOfNext));
    }
    if (!tail(segment).isEmpty()) {
      throw LogDamage.at(segment.file(), segment.offset(), "data follows its last record");
    }
  }

  private void read(SegmentReader segment) throws DamagedLogException {
    int offset = segment.offset();
    Optional<LogRecord> record = segment.next();
    while (record.isPresent()) {
      retention.note(record.get(), segment.sequence() - 1);
      if (record.get() instanceof LogRecord.Checkpointed checkpointed) {
        checkpoints.add(new FoundCheckpoint(checkpointed, segment.file(), offset));
      }
      offset = segment.offset();
      record = segment.next();
    }
  }

  private static UnreadableTail tail(SegmentReader segment) {
    return new UnreadableTail(
        segment.bytes(), segment.header().number(), segment.offset(), segment.sequence());
  }

  private static void cutTornTail(SegmentReader segment) throws IOException {
    UnreadableTail tail = tail(segment);
    if (tail.isEmpty()) {
      return;
    }
    OptionalInt proof = tail.proofOfDurability();
    if (proof.isPresent()) {
      throw LogDamage.at(
          segment.file(),
          segment.offset(),
          String.format(
              Locale.ROOT,
              "record %d cannot be read, and was durable when the one at byte %d was written",
              segment.sequence(),
              proof.getAsInt()));
    }
    if (!tail.isInterruptedWrite()) {
      throw LogDamage.at(
          segment.file(),
          segment.offset(),
          String.format(
              Locale.ROOT, "record %d has changed since it was written", segment.sequence()));
    }
    LOG.info(
        "The last write to {} was interrupted before it was durable; cutting the file at byte {}",
        segment.file(),
        segment.offset());
    try (FileChannel channel = FileChannel.open(segment.file(), StandardOpenOption.WRITE)) {
      channel.truncate(segment.offset());
      channel.force(true);
    }
  }
}
