package io.quorate.storage.body;

import io.quorate.consensus.BodyId;
import io.quorate.model.GroupId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;

/**
 * Where each body is stored, how much of each segment is in use, and which bodies have records that
 * are not. One thread changes it, and one other thread reports deleted records; any thread reads.
 * About 35 bytes of heap for each body, and half of that for each one with records that are not in
 * use.
 */
final class BodyIndex {
  /**
   * For each body its segment, shifted by one, with 1 if it has a link; the offset; and the length
   * and the checksum of the content.
   */
  private final BodyTable places = new BodyTable(3);

  /** The number of records that are replaced or removed and not deleted, by their body. */
  private final BodyTable deadRecords = new BodyTable(1);

  private final Map<GroupId, Group> groups = new ConcurrentHashMap<>();
  private final Map<Long, LongAdder> liveBytes = new ConcurrentHashMap<>();

  /** The bytes of a group's bodies with their headers, and how many were ever added to it. */
  private record Group(LongAdder bytes, LongAdder added) {
    static final Group EMPTY = new Group();

    Group() {
      this(new LongAdder(), new LongAdder());
    }
  }

  Optional<StoredBody> get(BodyId body) {
    return places.get(body).map(row -> stored(body, row));
  }

  private static StoredBody stored(BodyId body, long[] row) {
    RecordHeader header =
        new RecordHeader(
            RecordHeader.Kind.BODY, body, (int) (row[2] >>> Integer.SIZE), (int) row[2]);
    return new StoredBody(placeIn(row), header, isLink(row));
  }

  private static Place placeIn(long[] row) {
    return new Place(row[0] >>> 1, row[1]);
  }

  private static boolean isLink(long[] row) {
    return (row[0] & 1) != 0;
  }

  /** The number of bodies. */
  int size() {
    return places.size();
  }

  /** The bytes of heap that this object takes, as estimated. */
  long heapBytes() {
    return places.heapBytes() + deadRecords.heapBytes();
  }

  /** The groups with bodies. */
  List<GroupId> groups() {
    return places.groups();
  }

  /** The first bodies of a group in the order of epochs and numbers. */
  List<BodyId> first(GroupId group, int bodiesMax) {
    return places.first(group, bodiesMax);
  }

  /** The bodies of its group that follow one, which need not exist. */
  List<BodyId> after(BodyId body, int bodiesMax) {
    return places.after(body, bodiesMax);
  }

  /** Visits all bodies, which do not change meanwhile. */
  void visit(BiConsumer<BodyId, StoredBody> visitor) {
    places.visit(body -> visitor.accept(body, get(body).orElseThrow()));
  }

  /** The bytes of the bodies of a group, with their headers. */
  long bytesOf(GroupId group) {
    return groups.getOrDefault(group, Group.EMPTY).bytes().sum();
  }

  /** How many bodies were ever added to a group, without those that replaced another one. */
  long addedTo(GroupId group) {
    return groups.getOrDefault(group, Group.EMPTY).added().sum();
  }

  boolean isAt(BodyId body, Place place) {
    return places.get(body).filter(row -> placeIn(row).equals(place)).isPresent();
  }

  /** The place of a body that shares the record of another one. */
  Optional<Place> linked(BodyId body) {
    return places.get(body).filter(BodyIndex::isLink).map(BodyIndex::placeIn);
  }

  /**
   * The bodies whose content is at a place: that for which it was written, and the same one of
   * other groups.
   */
  List<BodyId> bodiesAt(StoredBody stored) {
    BodyId owner = stored.header().body();
    return groups.keySet().stream()
        .map(owner::in)
        .filter(body -> isAt(body, stored.place()))
        .toList();
  }

  /** Adds a body; returns where it was before. */
  Optional<Place> put(BodyId body, StoredBody stored) {
    Place place = stored.place();
    RecordHeader header = stored.header();
    Group group = groups.computeIfAbsent(body.group(), id -> new Group());
    count(group, place, header.recordBytes());
    Optional<long[]> before =
        places.put(
            body,
            place.segment() << 1 | (stored.isLink() ? 1 : 0),
            place.offset(),
            (long) header.length() << Integer.SIZE
                | Integer.toUnsignedLong(header.contentChecksum()));
    if (before.isEmpty()) {
      group.added().increment();
    }
    return uncounted(body, group, before);
  }

  /** Removes a body; returns where it was. */
  Optional<Place> remove(BodyId body) {
    Group group = groups.get(body.group());
    return group == null ? Optional.empty() : uncounted(body, group, places.remove(body));
  }

  private Optional<Place> uncounted(BodyId body, Group group, Optional<long[]> before) {
    if (before.isEmpty()) {
      return Optional.empty();
    }
    StoredBody was = stored(body, before.get());
    count(group, was.place(), -was.header().recordBytes());
    addDeadRecord(body);
    return Optional.of(was.place());
  }

  /** Adds a record of a body that is not in the index, and that a scan of all segments finds. */
  void addDeadRecord(BodyId body) {
    addDeadRecords(body, 1);
  }

  private void addDeadRecords(BodyId body, int change) {
    synchronized (deadRecords) {
      int records = deadRecords(body) + change;
      if (records > 0) {
        deadRecords.put(body, records);
      } else {
        deadRecords.remove(body);
      }
    }
  }

  private void count(Group group, Place place, long change) {
    liveBytes.computeIfAbsent(place.segment(), segment -> new LongAdder()).add(change);
    group.bytes().add(change);
  }

  /** The bytes of a segment's records that are in the index. */
  long liveBytes(long segment) {
    LongAdder live = liveBytes.get(segment);
    return live == null ? 0 : live.sum();
  }

  long liveBytes() {
    return liveBytes.values().stream().mapToLong(LongAdder::sum).sum();
  }

  /** The number of records of a body that a scan of all segments would find, and that are dead. */
  int deadRecords(BodyId body) {
    return deadRecords.get(body).map(row -> (int) row[0]).orElse(0);
  }

  /**
   * Forgets a segment that is deleted, and of which no record is in the index.
   *
   * @param records the number of its records by body
   */
  void segmentDeleted(long segment, BodyTable records) {
    liveBytes.remove(segment);
    records.visit(body -> addDeadRecords(body, -(int) records.get(body).orElseThrow()[0]));
  }
}
