package io.quorate.storage.body;

import io.quorate.consensus.BodyId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What the tasks of a {@link BodyWriter} change. Used by its thread alone. */
final class WriterState {
  private final BodySegments segments;
  private final BodyIndex index;

  /** The segments that may have new garbage: bodies were removed from them, or they were sealed. */
  private final Set<Long> withGarbage = new HashSet<>();

  WriterState(BodySegments segments, BodyIndex index) {
    this.segments = segments;
    this.index = index;
  }

  BodySegments segments() {
    return segments;
  }

  BodyIndex index() {
    return index;
  }

  void appendLink(BodyId body, Place to) throws IOException {
    List<ByteBuffer> content = List.of(to.encode());
    segments.append(RecordHeader.link(body, content), content);
  }

  void appendRemoval(BodyId body) throws IOException {
    segments.append(RecordHeader.removal(body), List.of());
  }

  /** The record at a place, if there was one, is garbage. */
  void hasGarbage(Optional<Place> record) {
    record.ifPresent(place -> hasGarbage(place.segment()));
  }

  void hasGarbage(long segment) {
    withGarbage.add(segment);
  }

  /** The segments that may have garbage since the last call. */
  Set<Long> takeGarbage() {
    Set<Long> taken = Set.copyOf(withGarbage);
    withGarbage.clear();
    return taken;
  }
}
