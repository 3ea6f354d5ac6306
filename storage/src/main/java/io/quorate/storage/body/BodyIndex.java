package io.quorate.storage.body;

import io.quorate.consensus.BodyId;
import io.quorate.consensus.GroupId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Where each body is stored, how much of each segment is in use, and which bodies have records that
 * are not. One thread changes it, and one other thread reports deleted records; any thread reads.
 * About 150 bytes of heap for each body.
 */
final class BodyIndex {
  private final Map<BodyId, StoredBody> bodies = new ConcurrentHashMap<>();
  private final Map<Long, LongAdder> liveBytes = new ConcurrentHashMap<>();

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

  /** Adds a body; returns where it was before. */
  Optional<Place> put(StoredBody stored) {
    count(stored, 1);
    return uncounted(bodies.put(stored.header().body(), stored));
  }

  /** Removes a body; returns where it was. */
  Optional<Place> remove(BodyId body) {
    return uncounted(bodies.remove(body));
  }

  private Optional<Place> uncounted(StoredBody before) {
    if (before == null) {
      return Optional.empty();
    }
    count(before, -1);
    deadRecords.merge(before.header().body(), 1, Integer::sum);
    return Optional.of(before.place());
  }

  private void count(StoredBody stored, int sign) {
    liveBytes
        .computeIfAbsent(stored.place().segment(), segment -> new LongAdder())
        .add(sign * stored.header().recordBytes());
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
