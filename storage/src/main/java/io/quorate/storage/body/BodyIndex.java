package io.quorate.storage.body;

import io.quorate.consensus.BodyId;
import io.quorate.consensus.GroupId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/**
 * Where each body is stored, how much of each segment is in use, and which bodies have records that
 * are not. One thread changes it, and one other thread reports deleted records; any thread reads.
 * About 150 bytes of heap for each body.
 */
final class BodyIndex {
  /** The bodies of a group, and their bytes with headers. */
  private record Group(Map<BodyId, StoredBody> bodies, LongAdder bytes) {
    static final Group EMPTY = new Group(Map.of(), new LongAdder());
  }

  private final Map<GroupId, Group> groups = new ConcurrentHashMap<>();
  private final Map<Long, LongAdder> liveBytes = new ConcurrentHashMap<>();

  /** The bodies that share the record of another one, by its place. */
  private final Map<Place, Set<BodyId>> links = new ConcurrentHashMap<>();

  /** The number of records that are replaced or removed and not deleted, by their body. */
  private final Map<BodyId, Integer> deadRecords = new ConcurrentHashMap<>();

  Optional<StoredBody> get(BodyId body) {
    return Optional.ofNullable(group(body.group()).bodies().get(body));
  }

  /** The number of bodies. */
  int size() {
    return groups.values().stream().mapToInt(group -> group.bodies().size()).sum();
  }

  private Group group(GroupId id) {
    return groups.getOrDefault(id, Group.EMPTY);
  }

  List<BodyId> bodiesOf(GroupId group) {
    return List.copyOf(group(group).bodies().keySet());
  }

  void visit(BiConsumer<BodyId, StoredBody> visitor) {
    groups.values().forEach(group -> group.bodies().forEach(visitor));
  }

  /** The bytes of the bodies of a group, with their headers. */
  long bytesOf(GroupId group) {
    return group(group).bytes().sum();
  }

  boolean isAt(BodyId body, Place place) {
    return get(body).filter(stored -> stored.place().equals(place)).isPresent();
  }

  /** The place of a body that shares the record of another one. */
  Optional<Place> linked(BodyId body) {
    return get(body).filter(StoredBody::isLink).map(StoredBody::place);
  }

  /** The bodies whose content is at a place. */
  List<BodyId> bodiesAt(StoredBody stored) {
    BodyId owner = stored.header().body();
    Set<BodyId> linked = links.getOrDefault(stored.place(), Set.of());
    return Stream.concat(
            isAt(owner, stored.place()) ? Stream.of(owner) : Stream.empty(), linked.stream())
        .distinct()
        .toList();
  }

  /** Adds a body; returns where it was before. */
  Optional<Place> put(BodyId body, StoredBody stored) {
    Group group =
        groups.computeIfAbsent(
            body.group(), id -> new Group(new ConcurrentHashMap<>(), new LongAdder()));
    count(group, stored, 1);
    if (stored.isLink()) {
      links.computeIfAbsent(stored.place(), place -> ConcurrentHashMap.newKeySet()).add(body);
    }
    return uncounted(body, group, group.bodies().put(body, stored));
  }

  /** Removes a body; returns where it was. */
  Optional<Place> remove(BodyId body) {
    Group group = groups.get(body.group());
    return group == null ? Optional.empty() : uncounted(body, group, group.bodies().remove(body));
  }

  private Optional<Place> uncounted(BodyId body, Group group, StoredBody before) {
    if (before == null) {
      return Optional.empty();
    }
    count(group, before, -1);
    if (before.isLink()) {
      links.computeIfPresent(
          before.place(),
          (place, linked) -> {
            linked.remove(body);
            return linked.isEmpty() ? null : linked;
          });
    }
    addDeadRecord(body);
    return Optional.of(before.place());
  }

  /** Adds a record of a body that is not in the index, and that a scan of all segments finds. */
  void addDeadRecord(BodyId body) {
    deadRecords.merge(body, 1, Integer::sum);
  }

  private void count(Group group, StoredBody stored, int sign) {
    long change = sign * stored.header().recordBytes();
    liveBytes.computeIfAbsent(stored.place().segment(), segment -> new LongAdder()).add(change);
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
    return deadRecords.getOrDefault(body, 0);
  }

  /**
   * Forgets a segment that is deleted, and of which no record is in the index.
   *
   * @param records the number of its records by body
   */
  void segmentDeleted(long segment, Map<BodyId, Integer> records) {
    liveBytes.remove(segment);
    records.forEach(
        (body, count) ->
            deadRecords.computeIfPresent(
                body, (same, before) -> before > count ? before - count : null));
  }
}
