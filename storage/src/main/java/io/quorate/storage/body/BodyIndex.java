package io.quorate.storage.body;

import io.quorate.consensus.BodyId;
import io.quorate.consensus.GroupId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/**
 * Where each body is stored, how much of each segment is in use, and which bodies have records that
 * are not. One thread changes it, and one other thread reports deleted records; any thread reads.
 * About 150 bytes of heap for each body.
 */
final class BodyIndex {
  private final Map<BodyId, StoredBody> bodies = new ConcurrentHashMap<>();
  private final Map<Long, LongAdder> liveBytes = new ConcurrentHashMap<>();
  private final Map<GroupId, LongAdder> bytesOfGroups = new ConcurrentHashMap<>();

  /** The bodies that share the record of another one, by its place. */
  private final Map<Place, Set<BodyId>> links = new ConcurrentHashMap<>();

  /** The number of records that are replaced or removed and not deleted, by their body. */
  private final Map<BodyId, Integer> deadRecords = new ConcurrentHashMap<>();

  Optional<StoredBody> get(BodyId body) {
    return Optional.ofNullable(bodies.get(body));
  }

  /** The number of bodies. */
  int size() {
    return bodies.size();
  }

  List<BodyId> bodiesOf(GroupId group) {
    return bodies.keySet().stream().filter(body -> body.group().equals(group)).toList();
  }

  boolean isAt(BodyId body, Place place) {
    StoredBody stored = bodies.get(body);
    return stored != null && stored.place().equals(place);
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
    count(body, stored, 1);
    if (stored.isLink()) {
      links.computeIfAbsent(stored.place(), place -> ConcurrentHashMap.newKeySet()).add(body);
    }
    return uncounted(body, bodies.put(body, stored));
  }

  /** Removes a body; returns where it was. */
  Optional<Place> remove(BodyId body) {
    return uncounted(body, bodies.remove(body));
  }

  private Optional<Place> uncounted(BodyId body, StoredBody before) {
    if (before == null) {
      return Optional.empty();
    }
    count(body, before, -1);
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

  private void count(BodyId body, StoredBody stored, int sign) {
    long change = sign * stored.header().recordBytes();
    liveBytes.computeIfAbsent(stored.place().segment(), segment -> new LongAdder()).add(change);
    bytesOfGroups.computeIfAbsent(body.group(), group -> new LongAdder()).add(change);
  }

  /** The bytes of the bodies of a group, with their headers. */
  long bytesOf(GroupId group) {
    LongAdder bytes = bytesOfGroups.get(group);
    return bytes == null ? 0 : bytes.sum();
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
