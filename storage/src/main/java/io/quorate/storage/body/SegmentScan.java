package io.quorate.storage.body;

import io.quorate.storage.body.RecordHeader.Found;
import io.quorate.storage.body.RecordHeader.Kind;
import io.quorate.storage.body.RecordHeader.Side;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * One pass over the records of a segment. Where no header is, the next one is searched for, and the
 * records before that are found from behind, by their trailers. What is left is a gap. Used once.
 */
final class SegmentScan {
  private static final int SEARCHED_BYTES = 1 << 20;

  /**
   * Bytes that are no record.
   *
   * @param from the offset of the first of them
   * @param to the offset behind the last of them; equal if only the end of the segment is missing
   */
  record Gap(long from, long to) {
    static final Comparator<Gap> ORDER =
        Comparator.comparingLong(Gap::from).thenComparingLong(Gap::to);
  }

  /**
   * What was found.
   *
   * @param end the offset behind the last record
   * @param proven the length of the part that was durable, as later records prove
   * @param gaps in order; the last one may be what follows the last record
   * @param rescued the number of records that have lost their header and were found by the trailer
   * @param hasEnd whether the last record is the end of the segment
   */
  record Outcome(long end, long proven, List<Gap> gaps, int rescued, boolean hasEnd) {
    /** Those of which a later record proves that they were records. */
    List<Gap> provenGaps() {
      return gaps.stream().filter(gap -> gap.from() < proven).toList();
    }
  }

  private record Trailed(long offset, Found found) {}

  private final BodySegment segment;
  private final List<Gap> gaps = new ArrayList<>();
  private long end;
  private long proven;
  private int rescued;
  private boolean hasEnd;

  SegmentScan(BodySegment segment) {
    this.segment = segment;
  }

  Outcome run(BodySegment.Visitor visitor) throws IOException {
    long size = segment.size();
    for (long offset = 0; offset < size; ) {
      Optional<Found> found = segment.found(offset);
      if (found.isPresent()) {
        visit(offset, found.get(), visitor);
        offset = end;
      } else {
        long next = nextHeader(offset + 1, size);
        rescue(offset, next, visitor);
        offset = next;
      }
    }
    return new Outcome(end, proven, List.copyOf(gaps), rescued, hasEnd && end == size);
  }

  private void visit(long offset, Found found, BodySegment.Visitor visitor) throws IOException {
    RecordHeader header = found.header();
    end = offset + header.recordBytes();
    proven = Math.max(proven, found.durable());
    hasEnd = header.kind() == Kind.END;
    if (header.kind() != Kind.MARK && header.kind() != Kind.END) {
      visitor.record(new Place(segment.number(), offset), header);
    }
  }

  private void rescue(long from, long to, BodySegment.Visitor visitor) throws IOException {
    Deque<Trailed> behind = new ArrayDeque<>();
    long begin = to;
    for (Optional<Found> last = segment.foundBefore(begin);
        last.isPresent() && begin - last.get().header().recordBytes() >= from;
        last = segment.foundBefore(begin)) {
      begin -= last.get().header().recordBytes();
      behind.push(new Trailed(begin, last.get()));
    }
    if (begin > from) {
      gaps.add(new Gap(from, begin));
    }
    for (Trailed record : behind) {
      rescued++;
      segment.rescue(record.offset(), record.found().header());
      visit(record.offset(), record.found(), visitor);
    }
  }

  /** The offset of the next header; the size if there is none. */
  private long nextHeader(long from, long size) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(SEARCHED_BYTES);
    for (long at = from; at + RecordHeader.OVERHEAD_BYTES <= size; ) {
      bytes.clear().limit((int) Math.min(SEARCHED_BYTES, size - at));
      segment.read(bytes, at);
      int searched = bytes.limit() - Integer.BYTES + 1;
      for (int i = 0; i < searched; i++) {
        if (bytes.getInt(i) == Side.HEADER.magic && segment.found(at + i).isPresent()) {
          return at + i;
        }
      }
      at += searched;
    }
    return size;
  }
}
