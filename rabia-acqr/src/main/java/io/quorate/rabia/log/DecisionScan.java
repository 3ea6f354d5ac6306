package io.quorate.rabia.log;

import io.quorate.rabia.protocol.Batch;
import io.quorate.rabia.protocol.BatchId;
import io.quorate.rabia.protocol.Decided;
import io.quorate.rabia.protocol.LogRecord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Collects decisions from the records of a log and returns them in the order of their slots. Holds
 * the batch bodies of the slots that are not returned. No I/O; not thread-safe.
 */
public final class DecisionScan {
  /** The consecutive decisions of one response. */
  static final class Page {
    private final int slotsMax;
    private final long bytesMax;
    private final List<Decided> decided = new ArrayList<>();
    private long bytes;
    private boolean full;

    /**
     * @param bytesMax maximum bytes of batch bodies; the first body may exceed it
     */
    Page(int slotsMax, long bytesMax) {
      this.slotsMax = slotsMax;
      this.bytesMax = bytesMax;
    }

    List<Decided> decided() {
      return decided;
    }

    boolean isEmpty() {
      return decided.isEmpty();
    }

    boolean isFull() {
      return full || decided.size() == slotsMax;
    }

    /** Returns false, and is full, if the decision does not fit. */
    private boolean add(Decided next) {
      int size = next.batch().map(Batch::size).orElse(0);
      if (!isEmpty() && bytes + size > bytesMax) {
        full = true;
        return false;
      }
      bytes += size;
      return decided.add(next);
    }
  }

  private static final class Found {
    private BatchId decision;
    private final Map<BatchId, Batch> bodies = new HashMap<>(2);
  }

  private final TreeMap<Long, Found> found = new TreeMap<>();
  private long next;

  /**
   * @param from the first slot wanted
   */
  public DecisionScan(long from) {
    this.next = from;
  }

  /** The first slot that has not been returned. */
  public long next() {
    return next;
  }

  /** Adds the next record of the log. */
  public void add(LogRecord record) {
    if (!(record instanceof LogRecord.OfSlot ofSlot) || ofSlot.at().index() < next) {
      return;
    }
    if (record instanceof LogRecord.Proposed proposed) {
      proposed.batch().ifPresent(batch -> at(ofSlot).bodies.put(batch.id(), batch));
    } else if (record instanceof LogRecord.SlotDecided decided) {
      at(ofSlot).decision = decided.decided().id();
      decided.decided().batch().ifPresent(batch -> at(ofSlot).bodies.put(batch.id(), batch));
    }
  }

  private Found at(LogRecord.OfSlot record) {
    return found.computeIfAbsent(record.at().index(), slot -> new Found());
  }

  /**
   * Moves consecutive decisions from {@link #next} on to a page, up to the first one that does not
   * fit or is missing. All records of its slots were added: a batch whose body is not among them
   * was executed before.
   */
  void fill(Page page) {
    while (!page.isFull()) {
      Found first = found.get(next);
      if (first == null || first.decision == null) {
        return;
      }
      Optional<Batch> batch = Optional.ofNullable(first.bodies.get(first.decision));
      if (!page.add(new Decided(first.decision, batch))) {
        return;
      }
      found.remove(next++);
    }
  }

  /**
   * Removes consecutive decisions from {@link #next} on, after the last record of the log.
   *
   * @param bytesMax maximum bytes of batch bodies; the first body may exceed it
   */
  public List<Decided> takeLast(int slotsMax, long bytesMax) {
    Page page = new Page(slotsMax, bytesMax);
    fill(page);
    return page.decided();
  }
}
