package io.quorate.server.node.bodies;

import io.quorate.consensus.BodyReference;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.protocol.operation.ScanOrder;
import io.quorate.storage.RegionStore;
import io.quorate.storage.command.StoredValue;
import io.quorate.storage.read.OutOfRangeException;
import io.quorate.storage.read.ScanPlan;
import io.quorate.storage.read.StoredCut;
import java.io.UncheckedIOException;
import java.util.Optional;

/** The references to bodies in the rows of a region. */
final class BodyReferences {
  /** A page is in memory, and holds a snapshot of the rows while it is read. */
  private static final int PAGE_ROWS_MAX = 256;

  private static final int PAGE_BYTES_MAX = 32 << 20;

  private BodyReferences() {}

  /**
   * What a visit of all references took.
   *
   * @param references number of references
   * @param readNanos time spent on reading rows
   */
  record Visited(long references, long readNanos) {}

  /** Receives a reference, and may block. */
  @FunctionalInterface
  interface Visitor {
    void visit(Key key, BodyReference body) throws InterruptedException;
  }

  /**
   * Visits all references in the order of their keys: those in rows that are not written meanwhile,
   * and some or none of those that are, or that leave the region by a split. Blocks.
   *
   * @throws UncheckedIOException if the rows cannot be read now, as while a snapshot is being
   *     installed
   * @throws InterruptedException if the thread is interrupted
   */
  static Visited visitAll(RegionStore region, Visitor visitor) throws InterruptedException {
    long readNanos = 0;
    long references = 0;
    Optional<Key> from = Optional.of(region.range().start());
    while (from.isPresent()) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      long started = System.nanoTime();
      StoredCut page;
      try {
        page =
            region.cutStored(
                KeyRange.from(from.get()).intersect(region.range()),
                ScanOrder.FORWARD,
                PAGE_ROWS_MAX,
                PAGE_BYTES_MAX,
                ScanPlan.MERGE);
      } catch (OutOfRangeException e) {
        // The region has split meanwhile, and has fewer keys.
        continue;
      } finally {
        readNanos += System.nanoTime() - started;
      }
      for (StoredCut.Row row : page.rows()) {
        if (row.value() instanceof StoredValue.Body body) {
          references++;
          visitor.visit(row.key(), body.reference());
        }
      }
      from = page.continueAt();
    }
    return new Visited(references, readNanos);
  }
}
