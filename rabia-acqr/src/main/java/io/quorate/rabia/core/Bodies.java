package io.quorate.rabia.core;

import io.quorate.rabia.protocol.Batch;
import io.quorate.rabia.protocol.BatchId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Bodies of batches that may still be executed, bounded in bytes. */
final class Bodies {
  private static final class Held {
    private final Batch batch;
    private long lastSlot = -1;

    private Held(Batch batch) {
      this.batch = batch;
    }
  }

  private final Map<BatchId, Held> held = new HashMap<>();
  private final TreeMap<Long, List<BatchId>> bySlot = new TreeMap<>();
  private final long bytesMax;
  private long bytes;

  Bodies(long bytesMax) {
    this.bytesMax = bytesMax;
  }

  /**
   * Keeps a body until a slot has been executed.
   *
   * @param needed whether it is taken however full it is: without it nothing would go on
   * @return whether the body is here now
   */
  boolean put(Batch batch, long slot, boolean needed) {
    Held present = held.get(batch.id());
    if (present == null) {
      if (!needed && bytes + batch.size() > bytesMax) {
        return false;
      }
      present = new Held(batch);
      held.put(batch.id(), present);
      bytes += batch.size();
    }
    if (slot > present.lastSlot) {
      present.lastSlot = slot;
      bySlot.computeIfAbsent(slot, s -> new ArrayList<>(1)).add(batch.id());
    }
    return true;
  }

  boolean hasRoom() {
    return bytes < bytesMax;
  }

  /** The batch, or null. */
  Batch get(BatchId id) {
    Held present = held.get(id);
    return present == null ? null : present.batch;
  }

  /** Slots up to here are executed. */
  void settle(long executed) {
    while (!bySlot.isEmpty() && bySlot.firstKey() <= executed) {
      for (BatchId id : bySlot.pollFirstEntry().getValue()) {
        Held present = held.get(id);
        if (present != null && present.lastSlot <= executed) {
          held.remove(id);
          bytes -= present.batch.size();
        }
      }
    }
  }
}
