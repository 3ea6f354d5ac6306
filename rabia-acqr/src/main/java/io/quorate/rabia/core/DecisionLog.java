package io.quorate.rabia.core;

import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.rabia.core.members.ConfigurationHistory;
import io.quorate.rabia.protocol.Batch;
import io.quorate.rabia.protocol.BatchId;
import io.quorate.rabia.protocol.Body;
import io.quorate.rabia.protocol.Checkpoint;
import io.quorate.rabia.protocol.Decided;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The executed slots whose decisions other replicas may still request, and the core's state just
 * before them, from which its state at any of them is computed.
 */
final class DecisionLog {
  /**
   * @param batch null for a null slot, and for a duplicate that was delivered without its body
   */
  private record Entry(Position at, BatchId id, Batch batch) {
    int size() {
      return batch == null ? 0 : batch.size();
    }
  }

  private final NodeId self;
  private final int alpha;
  private final int slotsMax;
  private final long bytesMax;
  private final TreeMap<Long, Entry> tail = new TreeMap<>();
  private long bytes;
  private Position base;
  private ExecutedBatches baseExecuted;
  private ConfigurationHistory baseConfigurations;

  DecisionLog(NodeId self, Settings settings, Checkpoint start) {
    this.self = self;
    this.alpha = settings.alpha();
    this.slotsMax = settings.bounds().tailSlots();
    this.bytesMax = settings.bounds().tailBytes();
    reset(start);
  }

  void reset(Checkpoint start) {
    tail.clear();
    bytes = 0;
    base = start.at();
    baseExecuted = ExecutedBatches.of(start.executed());
    baseConfigurations = new ConfigurationHistory(self, 0, alpha, start.configurations());
  }

  /** Appends the slot after the last one. */
  void append(Position at, BatchId id, Batch batch) {
    Entry entry = new Entry(at, id, batch);
    tail.put(at.index(), entry);
    bytes += entry.size();
    while (tail.size() > slotsMax || (bytes > bytesMax && tail.size() > 1)) {
      Entry oldest = tail.pollFirstEntry().getValue();
      bytes -= oldest.size();
      base = oldest.at();
      apply(oldest, baseExecuted, baseConfigurations);
      baseConfigurations.prune(base.index(), base.index());
    }
  }

  private static void apply(
      Entry entry, ExecutedBatches executed, ConfigurationHistory configurations) {
    if (entry.id().isNone() || executed.contains(entry.id())) {
      return;
    }
    executed.add(entry.id());
    if (entry.batch() != null && entry.batch().body() instanceof Body.Reconfiguration change) {
      configurations.apply(entry.at().index(), change);
    }
  }

  /** Whether the decision of this slot is retained. */
  boolean holds(long index) {
    return tail.containsKey(index);
  }

  /** The decision of a slot for which {@link #holds} is true. */
  Decided decided(long index) {
    return decided(index, 1, 0).get(0);
  }

  Position position(long index) {
    return tail.get(index).at();
  }

  /** Consecutive decisions from a slot for which {@link #holds} is true; at least one. */
  List<Decided> decided(long from, int slots, long bytesWanted) {
    List<Decided> found = new ArrayList<>();
    long size = 0;
    for (Iterator<Entry> entries = from(from); entries.hasNext() && found.size() < slots; ) {
      Entry entry = entries.next();
      size += entry.size();
      if (!found.isEmpty() && size > bytesWanted) {
        break;
      }
      found.add(new Decided(entry.id(), Optional.ofNullable(entry.batch())));
    }
    return found;
  }

  private Iterator<Entry> from(long index) {
    return tail.tailMap(index, true).values().iterator();
  }

  /** The core's state at a position; empty if the position is outside of the retained slots. */
  Optional<Checkpoint> checkpointAt(long index) {
    if (index != base.index() && !holds(index)) {
      return Optional.empty();
    }
    Position at = base;
    ExecutedBatches executed = ExecutedBatches.of(baseExecuted.image());
    ConfigurationHistory configurations =
        new ConfigurationHistory(self, 0, alpha, baseConfigurations.all());
    for (Entry entry : tail.headMap(index, true).values()) {
      at = entry.at();
      apply(entry, executed, configurations);
    }
    configurations.prune(at.index(), at.index());
    return Optional.of(new Checkpoint(at, configurations.all(), executed.image()));
  }
}
