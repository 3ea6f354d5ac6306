package io.quorate.storage.body;

import io.quorate.consensus.BodyId;
import io.quorate.storage.body.SegmentScan.Gap;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Adds the bodies of all segments to the index when a store is opened, and records in the state
 * what is lost. Used once, by one thread, which it blocks.
 *
 * <p>Only the last segment may have records that were not synced: they are complete or torn. Of
 * those that a later record proves durable, and of sealed segments, whatever is not there is lost.
 */
final class SegmentRecovery {
  private static final Logger LOG = LoggerFactory.getLogger(SegmentRecovery.class);

  private final NavigableMap<Long, BodySegment> segments;
  private final StoreState state;
  private final BodyIndex index;

  /** The bodies of links whose content was not found, unless a later record is of them. */
  private final Set<BodyId> withoutContent = new HashSet<>();

  /** Behind the last bytes of unknown records that are lost. */
  private Optional<Place> unknownUntil = Optional.empty();

  /**
   * @param segments all that are there
   */
  SegmentRecovery(NavigableMap<Long, BodySegment> segments, StoreState state, BodyIndex index) {
    this.segments = segments;
    this.state = state;
    this.index = index;
  }

  /** Unknown records are lost that were written before a place, or may have been. */
  void lostBefore(Place place) {
    if (unknownUntil.isEmpty() || unknownUntil.get().compareTo(place) < 0) {
      unknownUntil = Optional.of(place);
    }
  }

  /** Every record that is found is durable when the call returns, and so is what is lost. */
  void run() throws IOException {
    Optional<BodySegment> last =
        Optional.ofNullable(segments.lastEntry()).map(entry -> entry.getValue());
    List<StoredBody> unusable = new ArrayList<>();
    for (BodySegment segment : segments.values()) {
      boolean isLast = last.filter(segment::equals).isPresent();
      if (segment.size() == 0 && isLast && !state.isClosed()) {
        continue;
      }
      if (isLast) {
        unusable.addAll(recoverLast(segment));
      } else {
        sealed(segment, segment.visit((place, header) -> add(new StoredBody(place, header))));
      }
    }
    rememberLosses();
    // Before anything is appended, which would prove that torn records were durable.
    state.save();
    if (last.isPresent() && last.get().size() > 0) {
      complete(last.get(), unusable);
    }
  }

  private List<StoredBody> recoverLast(BodySegment segment) throws IOException {
    List<StoredBody> damaged = new ArrayList<>();
    SegmentScan.Outcome found =
        segment.visit(
            (place, header) -> {
              StoredBody stored = new StoredBody(place, header);
              if (header.kind() != RecordHeader.Kind.REMOVAL && !isIntact(segment, stored)) {
                damaged.add(stored);
              } else {
                add(stored);
              }
            });
    // Also of those that were perhaps not durable: that costs nothing but space.
    for (StoredBody each : damaged) {
      state.lost().add(each.header().body());
    }
    long proven = damaged.stream().filter(each -> isProven(each, found)).count();
    if (state.isClosed()) {
      sealed(segment, found);
    } else {
      gaps(segment, found, found.provenGaps());
      found.gaps().stream()
          .filter(gap -> gap.from() >= found.proven() && gap.from() < found.end())
          .forEach(gap -> state.addGap(segment.number(), gap));
      if (found.end() < segment.size() || damaged.size() > proven) {
        LOG.warn(
            "The last records of bodies are torn, as by a power failure file={} records={}"
                + " bytesCut={}",
            segment.file(),
            damaged.size() - proven,
            segment.size() - found.end());
      }
    }
    if (proven > 0) {
      LOG.error(
          "Bodies that were durable are damaged and have to be restored file={} bodies={}",
          segment.file(),
          proven);
    }
    return damaged;
  }

  private boolean isProven(StoredBody record, SegmentScan.Outcome found) {
    return state.isClosed() || record.place().offset() < found.proven();
  }

  private static boolean isIntact(BodySegment segment, StoredBody stored) throws IOException {
    try {
      segment.read(stored);
      return true;
    } catch (DamagedBodyException e) {
      return false;
    }
  }

  private void sealed(BodySegment segment, SegmentScan.Outcome found) {
    List<Gap> gaps = new ArrayList<>(found.gaps());
    if (!found.hasEnd() && found.end() == segment.size()) {
      gaps.add(new Gap(segment.size(), segment.size()));
    }
    gaps(segment, found, gaps);
  }

  private void gaps(BodySegment segment, SegmentScan.Outcome found, List<Gap> gaps) {
    List<Gap> unknown = gaps.stream().filter(gap -> state.addGap(segment.number(), gap)).toList();
    unknown.forEach(gap -> lostBefore(new Place(segment.number(), gap.to())));
    if (!unknown.isEmpty()) {
      LOG.error(
          "A file of bodies is damaged; bodies whose records are gone have to be restored, as"
              + " complete copies file={} gaps={} bytes={} recordsFoundByTheirEnd={}",
          segment.file(),
          unknown,
          unknown.stream().mapToLong(gap -> gap.to() - gap.from()).sum(),
          found.rescued());
    } else if (found.rescued() > 0) {
      LOG.warn(
          "Headers in a file of bodies are damaged; no body is lost file={} headers={}",
          segment.file(),
          found.rescued());
    }
  }

  private void add(StoredBody stored) throws IOException {
    BodyId body = stored.header().body();
    withoutContent.remove(body);
    switch (stored.header().kind()) {
      case BODY -> index.put(body, stored);
      case REMOVAL -> index.remove(body);
      case LINK -> {
        Optional<StoredBody> target = target(stored);
        if (target.isPresent()) {
          index.put(body, target.get());
        } else {
          // Moved, and a later record is of this body; or lost.
          index.addDeadRecord(body);
          withoutContent.add(body);
        }
      }
      case MARK, END -> throw new IllegalArgumentException("A record of no body: " + stored);
    }
  }

  private Optional<StoredBody> target(StoredBody link) throws IOException {
    try {
      Place to = Place.decode(segments.get(link.place().segment()).read(link));
      BodySegment segment = segments.get(to.segment());
      return segment == null
          ? Optional.empty()
          : segment
              .header(to)
              .filter(header -> isOf(link.header().body(), header))
              .map(header -> new StoredBody(to, header).linked());
    } catch (DamagedBodyException e) {
      return Optional.empty();
    }
  }

  /** Whether a record has the content of a body, or of the same body of another group. */
  private static boolean isOf(BodyId body, RecordHeader header) {
    return header.kind() == RecordHeader.Kind.BODY && header.body().in(body.group()).equals(body);
  }

  private void rememberLosses() {
    withoutContent.forEach(body -> state.lost().add(body));
    if (!withoutContent.isEmpty()) {
      LOG.error("Bodies have lost their content bodies={}", withoutContent.size());
    }
    if (unknownUntil.isPresent()) {
      state.lost().addUnknown();
      // What is there may have been replaced by what is lost.
      index.visit(
          (body, stored) -> {
            if (stored.place().compareTo(unknownUntil.get()) < 0) {
              state.lost().add(body);
            }
          });
    }
  }

  /** Ends the last segment: what is usable in it is durable, and stated to be so. */
  private void complete(BodySegment last, List<StoredBody> unusable) throws IOException {
    if (state.isClosed() && unusable.isEmpty()) {
      return;
    }
    last.truncate(last.visit((place, header) -> {}).end());
    for (StoredBody each : unusable) {
      supersede(each, last);
    }
    last.append(RecordHeader.end(), List.of());
    last.seal();
  }

  /**
   * Repeats what is known of a body behind an unusable record of it. The next start finds that
   * record in a sealed segment and does not verify it.
   */
  private void supersede(StoredBody unusable, BodySegment last) throws IOException {
    BodyId body = unusable.header().body();
    Optional<StoredBody> surviving = index.get(body);
    if (surviving.isEmpty()) {
      last.append(RecordHeader.removal(body), List.of());
    } else if (surviving.get().place().compareTo(unusable.place()) < 0) {
      BodySegment from = segments.get(surviving.get().place().segment());
      try {
        ByteBuffer content = from.read(surviving.get());
        index.put(body, last.append(surviving.get().header().of(body), List.of(content)));
      } catch (DamagedBodyException e) {
        LOG.warn("Both records of a body are damaged", e);
      }
    }
  }
}
