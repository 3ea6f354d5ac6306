package io.quorate.replication.log;

import io.quorate.replication.log.segment.ReadableSegment;
import io.quorate.replication.log.segment.SegmentDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;

/** The segments that exist, and how much in them is live. Thread-safe. */
final class LiveSegments {
  /** One segment. */
  static final class Segment {
    final int number;
    final ReadableSegment file;
    private final AtomicLong liveRecords = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();

    private Segment(int number, ReadableSegment file, long bytes) {
      this.number = number;
      this.file = file;
      this.bytes.set(bytes);
    }

    /** The entries and events in it that are live. */
    long liveRecords() {
      return liveRecords.get();
    }
  }

  private final SegmentDirectory directory;
  private final long salt;
  private final SharedLogCounters counters;
  private final NavigableMap<Integer, Segment> segments = new ConcurrentSkipListMap<>();

  LiveSegments(SegmentDirectory directory, long salt, SharedLogCounters counters) {
    this.directory = directory;
    this.salt = salt;
    this.counters = counters;
  }

  /** Adds a segment that exists. */
  void add(int number) throws IOException {
    long bytes = Files.size(directory.file(number));
    segments.put(
        number,
        new Segment(number, new ReadableSegment(directory.file(number), salt, number), bytes));
    counters.onDisk(1, bytes);
  }

  /** Notes the length of a segment. */
  void resized(int number, long bytes) {
    counters.onDisk(0, bytes - segments.get(number).bytes.getAndSet(bytes));
  }

  /** Counts a live record. */
  void born(int number, int recordBytes) {
    segments.get(number).liveRecords.incrementAndGet();
    counters.live(recordBytes);
  }

  /** Counts a record that is not live any more, or not here. */
  void died(int number, int recordBytes) {
    counters.live(-recordBytes);
    segments.get(number).liveRecords.decrementAndGet();
  }

  Optional<Segment> get(int number) {
    return Optional.ofNullable(segments.get(number));
  }

  /** The oldest one, unless it is the newest one as well. */
  Optional<Segment> oldest() {
    return segments.size() < 2 ? Optional.empty() : Optional.of(segments.firstEntry().getValue());
  }

  /** The number of the segment after the oldest one. */
  int secondOldest() {
    return segments.higherKey(segments.firstKey());
  }

  int count() {
    return segments.size();
  }

  /** Deletes the oldest segment durably. Blocks. */
  void delete(Segment oldest) throws IOException {
    directory.delete(oldest.number);
    segments.remove(oldest.number);
    counters.onDisk(-1, -oldest.bytes.get());
    oldest.file.close();
  }

  void close() throws IOException {
    for (Segment segment : segments.values()) {
      segment.file.close();
    }
  }
}
