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
 * only the batch bodies of slots that were in flight together, which bounds its memory. No I/O; not
 * thread-safe.
 */
public final class DecisionScan {
  private static final class Found {
    private BatchId decision;
    private final Map<BatchId, Batch> bodies = new HashMap<>(2);

    private boolean isComplete() {
      return decision != null && (decision.isNone() || bodies.containsKey(decision));
    }
  }

  private final TreeMap<Long, Found> found = new TreeMap<>();
  private final int alpha;
  private long next;
  private long highest = -1;

  /**
   * @param from the first slot wanted
   * @param alpha how many slots beyond the executed one records may be
   */
  public DecisionScan(long from, int alpha) {
    this.next = from;
    this.alpha = alpha;
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
    highest = Math.max(highest, ofSlot.at().index());
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
   * Removes consecutive decisions from {@link #next} on, up to the first one that is missing or
   * lacks its batch body.
   *
   * @param bytesMax maximum bytes of batch bodies; one body may exceed it
   * @param isEnd whether no further record follows
   */
  public List<Decided> take(int slotsMax, long bytesMax, boolean isEnd) {
    List<Decided> taken = new ArrayList<>();
    long bytes = 0;
    while (taken.size() < slotsMax) {
      Found first = found.get(next);
      // A slot so far behind was executed before the latest record: its body is not in this log.
      boolean isFinal = isEnd || highest > next + alpha;
      if (first == null || first.decision == null || !(first.isComplete() || isFinal)) {
        break;
      }
      Optional<Batch> batch = Optional.ofNullable(first.bodies.get(first.decision));
      bytes += batch.map(Batch::size).orElse(0);
      if (!taken.isEmpty() && bytes > bytesMax) {
        break;
      }
      taken.add(new Decided(first.decision, batch));
      found.remove(next++);
    }
    return taken;
  }

  /** Whether {@link #next} is not in the log, although later slots are. */
  public boolean isBeyond() {
    return highest > next + alpha && !found.containsKey(next);
  }
}
