package io.quorate.rabia.core;

import io.quorate.rabia.protocol.Batch;
import io.quorate.rabia.protocol.BatchId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Bodies of batches that may still be executed, bounded in bytes. */
final class BatchStore {
  private static final class StoredBatch {
    private final Batch batch;
    private long lastSlot = -1;

    private StoredBatch(Batch batch) {
      this.batch = batch;
    }
  }

  private final Map<BatchId, StoredBatch> stored = new HashMap<>();
  private final TreeMap<Long, List<BatchId>> bySlot = new TreeMap<>();
  private final long bytesMax;
  private long bytes;

  BatchStore(long bytesMax) {
    this.bytesMax = bytesMax;
  }

  /**
   * Stores a body until a slot has been executed.
   *
   * @param required whether the body is stored regardless of the limit, because execution cannot
   *     proceed without it
   * @return whether the body is stored
   */
  boolean put(Batch batch, long slot, boolean required) {
    StoredBatch present = stored.get(batch.id());
    if (present == null) {
      if (!required && bytes + batch.size() > bytesMax) {
        return false;
      }
      present = new StoredBatch(batch);
      stored.put(batch.id(), present);
      bytes += batch.size();
    }
    if (slot > present.lastSlot) {
      present.lastSlot = slot;
      bySlot.computeIfAbsent(slot, s -> new ArrayList<>(1)).add(batch.id());
    }
    return true;
  }

  boolean hasCapacity() {
    return bytes < bytesMax;
  }

  /** The batch, or null. */
  Batch get(BatchId id) {
    StoredBatch present = stored.get(id);
    return present == null ? null : present.batch;
  }

  /** Releases the bodies whose last slot is executed. */
  void release(long executed) {
    while (!bySlot.isEmpty() && bySlot.firstKey() <= executed) {
      for (BatchId id : bySlot.pollFirstEntry().getValue()) {
        StoredBatch present = stored.get(id);
        if (present != null && present.lastSlot <= executed) {
          stored.remove(id);
          bytes -= present.batch.size();
        }
      }
    }
  }
}
