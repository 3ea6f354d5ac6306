package io.quorate.storage.body;

import io.quorate.consensus.GroupId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Where each body is stored, and how much of each segment is in use. One thread changes it; any
 * thread reads. About 150 bytes of heap for each body.
 */
final class BodyIndex {
  private final Map<BodyId, StoredBody> bodies = new ConcurrentHashMap<>();
  private final Map<Long, LongAdder> liveBytes = new ConcurrentHashMap<>();

  Optional<StoredBody> get(BodyId body) {
    return Optional.ofNullable(bodies.get(body));
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

  /** Forgets a segment that is deleted, and of which no record is in the index. */
  void segmentDeleted(long segment) {
    liveBytes.remove(segment);
  }
}
