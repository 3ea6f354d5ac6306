package io.quorate.replication.log;

import io.quorate.replication.log.segment.DamagedRecordException;
import io.quorate.replication.log.segment.RecordHead;
import io.quorate.replication.log.segment.RecordType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * A group while the log is read: its records in the order of the log, and what raises doubts that
 * they are all. No I/O.
 */
final class RecoveringGroup {
  /** The lost records may have any index. */
  private static final long ANY_INDEX = Long.MAX_VALUE;

  private static final int PRUNED_MIN = 1024;
  private static final byte[] NOTHING = {};

  /** A place in the log. */
  record Place(int segment, Path file, int offset) {
    String damage(String what) {
      return DamagedRecordException.message(file, offset, what);
    }
  }

  /**
   * Records of the group may be missing.
   *
   * @param highest the highest index that a missing entry or event may have. Until a base follows,
   *     anything else may be missing too, and it is {@link #ANY_INDEX}.
   */
  private record Doubt(String message, long highest) {}

  final int generation;

  private final int group;

  /** The files of segments. */
  private final IntFunction<Path> files;

  /** In the order of the log, copies too. */
  private final RecordIndex rows = new RecordIndex();

  /** How many rows there were when dead ones were removed last. */
  private int rowsPruned;

  private List<Doubt> doubts = new ArrayList<>();
  private GroupBase base;
  private final long firstHighest;

  /** A hole that may have had records of the group, unless a later record shows that it had not. */
  private Optional<String> hole = Optional.empty();

  /** States whose latest value is lost; one for each key. */
  private final Optional<String>[] lostStates = lost();

  private RecoveringGroup(GroupBase base, IntFunction<Path> files) {
    this.files = files;
    this.group = base.group;
    this.generation = base.generation;
    this.base = base;
    this.firstHighest = base.highest();
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static Optional<String>[] lost() {
    Optional<String>[] none = new Optional[RecordType.STATE_KEYS];
    Arrays.fill(none, Optional.empty());
    return none;
  }

  /** A group whose first record was found, or is known to have been there. */
  static RecoveringGroup created(RecordHead head, IntFunction<Path> files) {
    GroupBase base = new GroupBase(head.group(), head.generation());
    base.apply(RecordType.CREATED, head.sequence(), head.at().index(), NOTHING);
    return new RecoveringGroup(base, files);
  }

  /** A group that is first seen by a base. */
  static RecoveringGroup of(GroupBase base, IntFunction<Path> files) {
    return new RecoveringGroup(base, files);
  }

  /** A group of which a record was found, but not what came before. */
  static RecoveringGroup unknown(RecordHead head, IntFunction<Path> files, String message) {
    GroupBase base = new GroupBase(head.group(), head.generation());
    base.apply(RecordType.REMOVED, head.sequence() - 1, 0, NOTHING);
    RecoveringGroup unknown = new RecoveringGroup(base, files);
    unknown.doubt(message);
    return unknown;
  }

  /** Records of the group are missing here. */
  void doubt(String message) {
    doubts.add(new Doubt(message, ANY_INDEX));
  }

  /** Records below all that the base states by which the group was seen first are missing. */
  void doubtBelowFirst(String message) {
    doubts.add(new Doubt(message, firstHighest));
  }

  /** Records of the group may have been here. */
  void hole(String message) {
    if (hole.isEmpty()) {
      hole = Optional.of(message);
    }
  }

  boolean isDoubtful() {
    return hole.isPresent() || !doubts.isEmpty();
  }

  /** Applies what a segment states of the group at its beginning. */
  void base(GroupBase stated, Place place) {
    check(stated.sequence(), base.sequence(), place);
    stated.damage().ifPresentOrElse(reason -> base = stated, () -> resolve(stated));
  }

  /** Whatever else is missing, it is stated now; entries and events are not. */
  private void resolve(GroupBase stated) {
    if (base.damage().isEmpty()) {
      base = stated;
      Arrays.fill(lostStates, Optional.empty());
      List<Doubt> resolved = new ArrayList<>();
      for (Doubt doubt : doubts) {
        resolved.add(new Doubt(doubt.message(), Math.min(doubt.highest(), stated.highest())));
      }
      doubts = resolved;
    }
  }

  /** Applies a record that is neither entry nor event. */
  void apply(RecordHead head, byte[] bytes, Place place) {
    boolean isNumbered = head.type() != RecordType.DAMAGED;
    check(head.sequence(), base.sequence() + (isNumbered ? 1 : 0), place);
    if (RecordType.isState(head.type())) {
      lostStates[RecordType.key(head.type())] = Optional.empty();
    } else if (head.type() == RecordType.TRUNCATED) {
      rows.removeEntries(head.at().index());
    }
    base.apply(head.type(), head.sequence(), head.at().index(), bytes);
  }

  /** Applies a record whose payload is damaged. */
  void applyDamaged(RecordHead head, Place place) {
    String message = place.damage("a record has changed since it was written");
    if (head.type() == RecordType.DAMAGED) {
      base = GroupBase.damaged(group, generation, head.sequence(), message);
      return;
    }
    if (RecordType.isRewritten(head.type())) {
      // Its order is lost as well, so that it cannot be compared with others of its index.
      check(head.sequence(), base.sequence() + 1, place);
      doubts.add(new Doubt(message, head.at().index()));
      base.apply(head.type(), head.sequence(), head.at().index(), NOTHING);
    } else if (RecordType.isIndexed(head.type())) {
      add(head, head.sequence(), RecordIndex.LOST, place, null);
    } else {
      apply(head, NOTHING, place);
      if (RecordType.isState(head.type())) {
        lostStates[RecordType.key(head.type())] = Optional.of(message);
      }
    }
  }

  /**
   * Applies an entry or event.
   *
   * @param record the record in memory; null if it is not there
   */
  void found(RecordHead head, long order, Place place, QueuedRecord record) {
    boolean isCopy = RecordType.isRewritten(head.type());
    add(head, order, head.length() - (isCopy ? Long.BYTES : 0), place, record);
  }

  private void add(RecordHead head, long order, int length, Place place, QueuedRecord record) {
    check(head.sequence(), base.sequence() + 1, place);
    long at = head.at().index();
    if (head.type() == RecordType.ENTRY && at != base.last() + 1) {
      if (doubts.isEmpty()) {
        doubt(
            place.damage(
                String.format(
                    Locale.ROOT, "entry %d of group %d follows %d", at, group, base.last())));
      }
      rows.removeEntries(at);
    }
    rows.add(order, head.at().epoch(), at, head.type(), length, record);
    rows.place(rows.size() - 1, place.segment(), place.offset(), head.type());
    prune();
    base.apply(head.type(), head.sequence(), at, NOTHING);
  }

  private void check(long sequence, long expected, Place place) {
    if (sequence > expected) {
      String message =
          place.damage(
              String.format(
                  Locale.ROOT,
                  "the records before it from %d on are missing, of group %d",
                  expected,
                  group));
      doubt(hole.orElse(message));
    } else if (sequence < expected) {
      doubt(
          place.damage(
              String.format(
                  Locale.ROOT, "record %d of group %d follows a later one", sequence, group)));
    }
    hole = Optional.empty();
  }

  /** The state of the group at the end of the log. */
  GroupBase base() {
    return base;
  }

  /**
   * The live entries and events; call {@link #damage} first.
   *
   * @return with a place for each
   */
  RecordIndex index() {
    rows.removeBelow(base.lowWater());
    RecordIndex index = new RecordIndex();
    for (int row : rows.sorted()) {
      QueuedRecord record = rows.inMemory(row);
      boolean isHere = record != null && record.bytes != null;
      index.add(
          rows.order(row),
          rows.epoch(row),
          rows.index(row),
          rows.type(row),
          rows.length(row),
          isHere ? record : null);
      index.place(index.size() - 1, rows.segment(row), rows.offset(row), rows.type(row));
    }
    return index;
  }

  /** Why the group must not be used; empty if everything live is there. */
  Optional<String> damage() {
    if (base.damage().isPresent()) {
      return base.damage();
    }
    if (hole.isPresent()) {
      return hole;
    }
    for (Doubt doubt : doubts) {
      if (doubt.highest() >= base.lowWater()) {
        return Optional.of(doubt.message());
      }
    }
    for (Optional<String> lost : lostStates) {
      if (lost.isPresent()) {
        return lost;
      }
    }
    return damageOfRows();
  }

  private Optional<String> damageOfRows() {
    rows.removeBelow(base.lowWater());
    long expected = base.lowWater();
    for (int row : rows.sorted()) {
      if (rows.length(row) == RecordIndex.LOST) {
        return Optional.of(damage(row, "a record has changed since it was written"));
      }
      if (RecordType.original(rows.type(row)) == RecordType.ENTRY) {
        if (rows.index(row) != expected) {
          return Optional.of(
              damage(
                  row,
                  String.format(
                      Locale.ROOT, "entry %d of group %d is missing before", expected, group)));
        }
        expected++;
      }
    }
    return expected == base.last() + 1
        ? Optional.empty()
        : Optional.of(
            String.format(
                Locale.ROOT,
                "The log has no entry %d of group %d, which has entries up to %d",
                expected,
                group,
                base.last()));
  }

  private String damage(int row, String what) {
    return new Place(rows.segment(row), files.apply(rows.segment(row)), rows.offset(row))
        .damage(what);
  }

  /** Removes dead rows from time to time, so that they do not fill the memory. */
  private void prune() {
    if (rows.size() > 2 * rowsPruned + PRUNED_MIN) {
      rows.removeBelow(base.lowWater());
      rowsPruned = rows.size();
    }
  }
}
