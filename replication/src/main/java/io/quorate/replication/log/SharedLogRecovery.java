package io.quorate.replication.log;

import io.quorate.common.DamagedLogException;
import io.quorate.common.DurableEnd;
import io.quorate.replication.log.segment.LogOwner;
import io.quorate.replication.log.segment.RecordHead;
import io.quorate.replication.log.segment.RecordType;
import io.quorate.replication.log.segment.ScannedSegment;
import io.quorate.replication.log.segment.ScannedSegment.Piece;
import io.quorate.replication.log.segment.SegmentDirectory;
import io.quorate.replication.log.segment.SegmentStart;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a log when it is opened: each segment once, front to back, for all groups. Cuts what was
 * being written when the process ended, and makes durable what it has read. Blocks. Used once.
 */
final class SharedLogRecovery {
  private static final Logger LOG = LoggerFactory.getLogger(SharedLogRecovery.class);

  /** Groups that were created where the log is damaged may have had generations from here on. */
  private static final int LOST_GENERATIONS = 1 << 16;

  /**
   * What was found.
   *
   * @param segments the numbers of the segments, ascending
   * @param next the number of the next segment
   * @param previousEnd the end of the records of the segment before
   * @param groups those that can be used
   * @param bases those of all groups, also of damaged ones
   * @param purged all segments up to this one may be deleted
   */
  record Recovered(
      List<Long> segments,
      long next,
      int previousEnd,
      long salt,
      Map<Integer, RecoveringGroup> groups,
      List<GroupBase> bases,
      long purged,
      int nextGeneration) {}

  private final SegmentDirectory directory;
  private final Optional<DurableEnd.Mark> end;
  private final LogOwner owner;
  private final RecentRecords recent;
  private final long memoryBytes;
  private final SharedLogCounters counters;
  private final Map<Integer, RecoveringGroup> groups = new TreeMap<>();
  private final TreeMap<Long, SegmentStart> starts = new TreeMap<>();
  private final ScannedSegment.Memory memory = new ScannedSegment.Memory();

  /** Groups that are first seen by a base in the first segment. */
  private final List<RecoveringGroup> ofFirstBases = new ArrayList<>();

  private long salt;
  private long first;
  private long purged;
  private int nextGeneration = 1;
  private Optional<String> firstHole = Optional.empty();

  /** The length of the segments after the one that is read. */
  private long bytesLeft;

  /** The groups whose bases were read at the beginning of this segment, and how many follow. */
  private final Map<Integer, RecoveringGroup> based = new TreeMap<>();

  private long basesLeft;

  SharedLogRecovery(
      SegmentDirectory directory,
      Optional<DurableEnd.Mark> end,
      LogOwner owner,
      RecentRecords recent,
      long memoryBytes,
      SharedLogCounters counters) {
    this.memoryBytes = memoryBytes;
    this.directory = directory;
    this.end = end;
    this.owner = owner;
    this.recent = recent;
    this.counters = counters;
  }

  /**
   * @param newSalt of a log that does not exist yet
   * @throws DamagedLogException if nothing can be said of any group: the log, or what states its
   *     end, is missing, or the log is that of another node
   */
  Recovered recover(long newSalt) throws IOException {
    List<Long> numbers = directory.numbers();
    if (numbers.isEmpty()) {
      return new Recovered(List.of(), 1, 0, newSalt, groups, List.of(), 0, 1);
    }
    directory.deleteUnfinished();
    readStarts(numbers);
    List<Long> present = deletePurged(numbers);
    first = present.get(0);
    long last = Math.max(present.get(present.size() - 1), statedNewest());
    int lastEnd = 0;
    bytesLeft = bytes(present);
    for (long number = first; number <= last; number++) {
      lastEnd = read(number, last);
    }
    doubtBeforeFirst();
    return new Recovered(present, last + 1, lastEnd, salt, groups, bases(), purged, nextGeneration);
  }

  private void readStarts(List<Long> numbers) throws IOException {
    long newest = Math.max(0, statedNewest());
    for (long number : numbers) {
      Path file = directory.file(number);
      Optional<SegmentStart> start = SegmentStart.read(file);
      if (start.isEmpty() || start.get().number() != number) {
        requireNext(newest, number);
        newest = Math.max(newest, number);
        LOG.error("The start of a log file is damaged file={}", file);
        continue;
      }
      if (!start.get().owner().equals(owner)) {
        throw new DamagedLogException(
            String.format(
                Locale.ROOT,
                "The log file %s is of %s, and this is %s",
                file,
                start.get().owner(),
                owner));
      }
      if (!starts.isEmpty() && starts.firstEntry().getValue().salt() != start.get().salt()) {
        throw new DamagedLogException(
            String.format(
                Locale.ROOT,
                "The log files %s and %s are of two logs",
                directory.file(starts.firstKey()),
                file));
      }
      starts.put(number, start.get());
      newest = Math.max(newest, number);
    }
    if (starts.isEmpty()) {
      throw new DamagedLogException(
          String.format(
              Locale.ROOT, "The log %s has no file with a valid start", directory.path()));
    }
    salt = starts.firstEntry().getValue().salt();
  }

  /** One file is created after the other, so that one far ahead is no file of this log. */
  private void requireNext(long newest, long number) throws DamagedLogException {
    if (number > newest + 1) {
      throw new DamagedLogException(
          String.format(
              Locale.ROOT,
              "The file %s is not of the log, whose newest file is %s; move it away",
              directory.file(number),
              directory.file(newest).getFileName()));
    }
  }

  /** Deletes what a deletion has left that was interrupted, or undone by a power loss. */
  private List<Long> deletePurged(List<Long> numbers) throws IOException {
    for (long number : starts.descendingKeySet()) {
      Optional<RecordHead> head =
          ScannedSegment.firstHead(directory.file(number), memory, salt, number);
      if (head.isPresent() && head.get().type() == RecordType.BASES && isOf(number, head.get())) {
        purged = head.get().at().index();
        break;
      }
    }
    List<Long> present = new ArrayList<>();
    for (long number : numbers) {
      if (number <= purged) {
        directory.delete(number);
      } else {
        present.add(number);
      }
    }
    return present;
  }

  /** A record of the log in a segment states that earlier ones may be deleted, and not this one. */
  private static boolean isOf(long number, RecordHead head) {
    return head.at().index() < number;
  }

  private long bytes(List<Long> numbers) throws IOException {
    long bytes = 0;
    for (long number : numbers) {
      bytes += Files.size(directory.file(number));
    }
    return bytes;
  }

  /**
   * Reads a segment.
   *
   * @return the end of its records
   */
  private int read(long number, long last) throws IOException {
    Path file = directory.file(number);
    if (!Files.exists(file)) {
      hole(file, 0, "the file is missing");
      return 0;
    }
    ScannedSegment segment = ScannedSegment.load(file, memory);
    List<Piece> pieces = segment.pieces(salt, number);
    bytesLeft -= segment.length();
    Optional<SegmentStart> next = Optional.ofNullable(starts.get(number + 1));
    boolean isLast = number == last;
    int stated = statedEnd(number);
    int proven = isLast ? Math.max(stated, proof(pieces)) : Integer.MAX_VALUE;
    int limit = next.map(SegmentStart::previousEnd).orElse(Integer.MAX_VALUE);
    int reached = apply(segment, pieces, number, Math.min(proven, limit), limit);
    if (reached < Math.max(stated, isLast || next.isEmpty() ? 0 : limit)) {
      hole(file, reached, "the file ends there, and had more records that were durable");
    } else if (!isLast && next.isEmpty()) {
      hole(file, reached, "nothing states whether more records followed");
    }
    if (isLast) {
      settle(segment, proven, reached);
    }
    return reached;
  }

  /** The newest segment, as the file outside of the directory states it. */
  private long statedNewest() {
    return end.orElseThrow().segment();
  }

  /** How much of a segment was durable, as far as the file outside of the directory states it. */
  private int statedEnd(long number) {
    return end.isPresent() && end.get().isOf(number) ? (int) end.get().bytes() : 0;
  }

  /** The offset up to which some record states that its segment was durable. */
  private static int proof(List<Piece> pieces) {
    int proven = SegmentStart.BYTES;
    for (Piece piece : pieces) {
      proven = Math.max(proven, piece.head().map(RecordHead::durable).orElse(0));
    }
    return proven;
  }

  /**
   * Applies the records of a segment.
   *
   * @param proven what cannot be read before this offset is damage, and a torn write from it on
   * @param limit the end of the records, if it is known
   * @return the end of the records
   */
  private int apply(ScannedSegment segment, List<Piece> pieces, long number, int proven, int limit)
      throws IOException {
    based.clear();
    basesLeft = 0;
    int reached = Math.min(SegmentStart.BYTES, segment.length());
    for (Piece piece : pieces) {
      if (piece.from() >= limit || !piece.isIntact() && piece.from() >= proven) {
        return reached;
      }
      apply(segment, piece, number);
      reached = piece.to();
    }
    return reached;
  }

  private void apply(ScannedSegment segment, Piece piece, long number) {
    RecoveringGroup.Place place =
        new RecoveringGroup.Place(Math.toIntExact(number), segment.file(), piece.from());
    if (piece.head().isEmpty()) {
      hole(segment.file(), piece.from(), "records cannot be read");
      return;
    }
    RecordHead head = piece.head().get();
    if (head.group() == RecordHead.NO_GROUP) {
      if (isOf(number, head)) {
        applyOfLog(head);
      } else {
        hole(segment.file(), piece.from(), "a record says that its own segment may be deleted");
      }
      return;
    }
    nextGeneration = Math.max(nextGeneration, head.generation() + 1);
    if (head.type() == RecordType.BASE || head.type() == RecordType.DAMAGED && basesLeft > 0) {
      applyBase(head, piece.isIntact() ? segment.payload(piece) : null, place);
    } else {
      applyOfGroup(segment, piece, head, place);
    }
  }

  private void applyOfLog(RecordHead head) {
    purged = Math.max(purged, head.at().index());
    if (head.type() == RecordType.BASES) {
      nextGeneration = Math.max(nextGeneration, (int) head.sequence());
      basesLeft = head.at().epoch();
      if (basesLeft == 0) {
        retainBased();
      }
    }
  }

  private void applyBase(RecordHead head, byte[] payload, RecoveringGroup.Place place) {
    RecoveringGroup known = groups.get(head.group());
    boolean isKnown = known != null && known.generation == head.generation();
    if (payload == null) {
      if (!isKnown) {
        known =
            RecoveringGroup.unknown(
                head, directory::file, place.damage("the base of a group has changed"));
        groups.put(head.group(), known);
      } else if (head.type() == RecordType.DAMAGED) {
        known.doubt(place.damage("it says that a group is damaged"));
      }
    } else {
      GroupBase base =
          GroupBase.decode(head.group(), head.generation(), head.sequence(), head.type(), payload);
      if (isKnown) {
        known.base(base, place);
      } else {
        known = RecoveringGroup.of(base, directory::file);
        firstHole.ifPresent(known::doubtBelowFirst);
        groups.put(head.group(), known);
        if (place.segment() == first) {
          ofFirstBases.add(known);
        }
      }
    }
    based.put(head.group(), known);
    if (basesLeft > 0 && --basesLeft == 0) {
      retainBased();
    }
  }

  /** A group without a base does not exist any more; what says so may be in a hole. */
  private void retainBased() {
    groups.values().removeIf(this::isRemoved);
  }

  private boolean isRemoved(RecoveringGroup group) {
    if (based.get(group.base().group) == group) {
      return false;
    }
    if (!group.isDoubtful()) {
      group.doubt(
          String.format(
              Locale.ROOT,
              "The log %s has no base of group %d in a segment, nor its removal",
              directory.path(),
              group.base().group));
      return false;
    }
    return true;
  }

  private void applyOfGroup(
      ScannedSegment segment, Piece piece, RecordHead head, RecoveringGroup.Place place) {
    if (head.type() == RecordType.CREATED) {
      groups.put(head.group(), RecoveringGroup.created(head, directory::file));
      return;
    }
    RecoveringGroup group = groups.get(head.group());
    if (group == null || group.generation != head.generation()) {
      group =
          RecoveringGroup.unknown(
              head,
              directory::file,
              firstHole.orElse(place.damage("what created the group is missing")));
      groups.put(head.group(), group);
    }
    if (head.type() == RecordType.REMOVED) {
      groups.remove(head.group());
      return;
    }
    if (!piece.isIntact() || lacksOrder(head)) {
      group.applyDamaged(head, place);
    } else if (RecordType.isIndexed(RecordType.original(head.type()))) {
      long order = RecordType.isRewritten(head.type()) ? segment.firstLong(piece) : head.sequence();
      group.found(head, order, place, inMemory(segment, piece, head, order));
    } else {
      group.apply(head, segment.payload(piece), place);
    }
  }

  /** Whether it is said to be a copy, and does not begin with an order as copies do. */
  private static boolean lacksOrder(RecordHead head) {
    return RecordType.isRewritten(head.type()) && head.length() < Long.BYTES;
  }

  /** Keeps the records that are read last in memory: whoever opens the groups reads them. */
  private QueuedRecord inMemory(ScannedSegment segment, Piece piece, RecordHead head, long order) {
    if (bytesLeft > memoryBytes) {
      return null;
    }
    byte[] bytes = GroupRecords.withoutOrder(head.type(), segment.payload(piece));
    QueuedRecord record =
        new QueuedRecord(
            null,
            null,
            head.type(),
            head.sequence(),
            order,
            head.at().epoch(),
            head.at().index(),
            bytes,
            true);
    record.isDurable = true;
    counters.inMemory(record.length());
    recent.add(record);
    recent.evict();
    return record;
  }

  private void hole(Path file, int offset, String what) {
    String message = new RecoveringGroup.Place(0, file, offset).damage(what);
    LOG.error("{}", message);
    if (firstHole.isEmpty()) {
      firstHole = Optional.of(message);
      nextGeneration += LOST_GENERATIONS;
    }
    groups.values().forEach(group -> group.hole(message));
    // Bases may be in the hole.
    basesLeft = 0;
  }

  private void settle(ScannedSegment segment, int proven, int reached) throws IOException {
    if (!segment.isZero(reached)) {
      LOG.info(
          "The last write to {} was interrupted before it was durable; cutting the file at byte {}",
          segment.file(),
          reached);
    }
    segment.settle(proven, reached);
  }

  /** If the oldest segments are missing, entries and events that bases do not state are missing. */
  private void doubtBeforeFirst() {
    if (first > purged + 1) {
      String message =
          new RecoveringGroup.Place(0, directory.file(first - 1), 0).damage("the file is missing");
      LOG.error("{}", message);
      ofFirstBases.forEach(group -> group.doubtBelowFirst(message));
    }
  }

  private List<GroupBase> bases() {
    List<GroupBase> bases = new ArrayList<>();
    for (RecoveringGroup group : List.copyOf(groups.values())) {
      GroupBase base = group.base();
      Optional<String> damage = group.damage();
      if (damage.isPresent()) {
        LOG.error("A group is lost group={} damage={}", base.group, damage.get());
        groups.remove(base.group);
        bases.add(GroupBase.damaged(base.group, base.generation, base.sequence(), damage.get()));
      } else {
        bases.add(base);
      }
    }
    return bases;
  }
}
