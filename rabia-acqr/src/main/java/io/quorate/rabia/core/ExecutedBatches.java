package io.quorate.rabia.core;

import io.quorate.model.NodeId;
import io.quorate.rabia.protocol.BatchId;
import io.quorate.rabia.protocol.Checkpoint.ExecutedIncarnation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The batches that have been executed, so that a batch that wins a second slot is not executed
 * again (D2). Replicated state: equal at all replicas after the same slots.
 *
 * <p>Holds the last {@link #INCARNATIONS_MAX} incarnations of each origin; a batch of an older
 * incarnation counts as executed. An incarnation consists of a watermark and the executed sequence
 * numbers beyond it.
 */
final class ExecutedBatches {
  static final int INCARNATIONS_MAX = 8;

  private static final class Numbers {
    private final TreeSet<Long> beyond = new TreeSet<>();
    private long watermark;

    boolean contains(long number) {
      return number < watermark || beyond.contains(number);
    }

    void add(long number) {
      beyond.add(number);
      while (!beyond.isEmpty() && beyond.first() == watermark) {
        beyond.pollFirst();
        watermark++;
      }
    }
  }

  private final Map<NodeId, TreeMap<Long, Numbers>> origins = new HashMap<>();

  static ExecutedBatches of(Map<NodeId, List<ExecutedIncarnation>> image) {
    ExecutedBatches executed = new ExecutedBatches();
    image.forEach(
        (origin, incarnations) -> {
          for (ExecutedIncarnation incarnation : incarnations) {
            Numbers numbers = executed.numbers(origin, incarnation.incarnation());
            numbers.watermark = incarnation.watermark();
            numbers.beyond.addAll(incarnation.beyond());
          }
        });
    return executed;
  }

  Map<NodeId, List<ExecutedIncarnation>> image() {
    Map<NodeId, List<ExecutedIncarnation>> image = new HashMap<>();
    origins.forEach(
        (origin, incarnations) -> {
          List<ExecutedIncarnation> list = new ArrayList<>();
          incarnations.forEach(
              (incarnation, numbers) ->
                  list.add(
                      new ExecutedIncarnation(
                          incarnation, numbers.watermark, List.copyOf(numbers.beyond))));
          image.put(origin, List.copyOf(list));
        });
    return image;
  }

  boolean contains(BatchId id) {
    TreeMap<Long, Numbers> incarnations = origins.get(id.origin());
    if (incarnations == null) {
      return false;
    }
    Numbers numbers = incarnations.get(id.incarnation());
    if (numbers != null) {
      return numbers.contains(id.sequence());
    }
    return incarnations.size() == INCARNATIONS_MAX && id.incarnation() < incarnations.firstKey();
  }

  /** The newest incarnation of an origin of which a batch was executed; -1 if there is none. */
  long newestIncarnation(NodeId origin) {
    TreeMap<Long, Numbers> incarnations = origins.get(origin);
    return incarnations == null ? -1 : incarnations.lastKey();
  }

  void add(BatchId id) {
    numbers(id.origin(), id.incarnation()).add(id.sequence());
  }

  private Numbers numbers(NodeId origin, long incarnation) {
    TreeMap<Long, Numbers> incarnations = origins.computeIfAbsent(origin, o -> new TreeMap<>());
    Numbers numbers = incarnations.computeIfAbsent(incarnation, i -> new Numbers());
    if (incarnations.size() > INCARNATIONS_MAX) {
      incarnations.pollFirstEntry();
    }
    return numbers;
  }
}
