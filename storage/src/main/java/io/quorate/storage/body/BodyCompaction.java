package io.quorate.storage.body;

import io.quorate.consensus.BodyId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Returns the space of removed bodies: copies what is in use of a sealed segment to the newest one
 * and deletes the segment. A removal is copied as well while another segment has a record of the
 * body, and a link while the body shares the record of another one. One body at a time is in
 * memory.
 */
final class BodyCompaction implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(BodyCompaction.class);

  /** A segment may have hundreds of thousands of removals and links. */
  private static final int KEPT_AT_A_TIME = 4096;

  private final BodySegments segments;
  private final BodyIndex index;
  private final BodyWriter writer;
  private final double liveShareMin;
  private final AtomicBoolean scheduled = new AtomicBoolean();

  BodyCompaction(BodySegments segments, BodyIndex index, BodyWriter writer, double liveShareMin) {
    this.segments = segments;
    this.index = index;
    this.writer = writer;
    this.liveShareMin = liveShareMin;
  }

  /**
   * Whether a run has to be scheduled because of these segments; false if one is and has not begun.
   */
  boolean isToBeScheduled(Collection<BodySegment> candidates) {
    return candidates.stream().anyMatch(this::isSparse) && scheduled.compareAndSet(false, true);
  }

  private boolean isSparse(BodySegment segment) {
    return index.liveBytes(segment.number()) < liveShareMin * segment.size();
  }

  /** Compacts all sparse segments. Blocks on the disk and on the writer. */
  @Override
  public void run() {
    scheduled.set(false);
    for (BodySegment segment : segments.sealed()) {
      try {
        if (isSparse(segment)) {
          compact(segment);
        }
      } catch (IOException | CompletionException e) {
        // Tried again after the next removal; the segment is unchanged.
        LOG.warn("The space of removed bodies is not returned segment={}", segment.number(), e);
      }
    }
  }

  private void compact(BodySegment segment) throws IOException {
    BodyTable records = new BodyTable(1);
    segment.visit(
        (place, header) -> {
          if (header.kind() != RecordHeader.Kind.REMOVAL) {
            records.put(header.body(), count(records, header.body()) + 1);
          }
        });
    BodyTable kept = new BodyTable(0);
    List<CompletableFuture<Void>> keeping = new ArrayList<>();
    segment.visit(
        (place, header) -> {
          BodyId body = header.body();
          boolean isNeeded =
              switch (header.kind()) {
                case BODY -> {
                  move(segment, new StoredBody(place, header));
                  yield false;
                }
                case LINK -> index.linked(body).isPresent();
                case REMOVAL -> index.deadRecords(body) > count(records, body);
                case MARK, END -> false;
              };
          if (isNeeded && kept.put(body).isEmpty()) {
            keeping.add(writer.keep(body));
            if (keeping.size() == KEPT_AT_A_TIME) {
              awaitAll(keeping);
            }
          }
        });
    awaitAll(keeping);
    if (index.liveBytes(segment.number()) == 0) {
      segments.delete(segment);
      index.segmentDeleted(segment.number(), records);
    }
  }

  private static long count(BodyTable records, BodyId body) {
    return records.get(body).map(row -> row[0]).orElse(0L);
  }

  private static void awaitAll(List<CompletableFuture<Void>> futures) {
    futures.forEach(CompletableFuture::join);
    futures.clear();
  }

  private void move(BodySegment segment, StoredBody stored) throws IOException {
    try {
      for (BodyId body : index.bodiesAt(stored)) {
        writer.move(body, stored, segment.read(stored)).join();
      }
    } catch (DamagedBodyException e) {
      // It stays, and with it the segment, until its owner replaces or removes it.
      LOG.warn("A damaged body is not moved", e);
    }
  }
}
