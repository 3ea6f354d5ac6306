package io.quorate.storage.split;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * A client: which writes it has outstanding, where it sends them, and with which floor. The rules
 * of floors are those of the client's sequencer.
 */
final class ModelClient {
  /** A write; its lanes are those that have it. */
  static final class Write {
    final long sequence;
    final int key;
    int lane;
    boolean ended;

    Write(long sequence, int key, int lane) {
      this.sequence = sequence;
      this.key = key;
      this.lane = lane;
    }
  }

  private static final class Lane {
    final List<Write> sinceFloor = new ArrayList<>();
    final Set<Write> left = new HashSet<>();

    void settle() {
      while (!sinceFloor.isEmpty()
          && (sinceFloor.get(0).ended || left.contains(sinceFloor.get(0)))) {
        left.remove(sinceFloor.remove(0));
      }
    }
  }

  final int id;
  final TreeMap<Long, Write> outstanding = new TreeMap<>();
  private final Optional<SplitMutation> mutation;
  private final Map<Integer, Lane> lanes = new HashMap<>();
  private TreeMap<Integer, Integer> regions;
  private long last;

  ModelClient(int id, TreeMap<Integer, Integer> regions, Optional<SplitMutation> mutation) {
    this.id = id;
    this.regions = new TreeMap<>(regions);
    this.mutation = mutation;
  }

  /** Begins a write, unless the window of its region is full. */
  Optional<Write> begin(int key) {
    int region = regions.floorEntry(key).getValue();
    Lane lane = lanes.computeIfAbsent(region, any -> new Lane());
    if (capacityUsed(lane) >= ModelRegion.WINDOW) {
      return Optional.empty();
    }
    Write write = new Write(++last, key, region);
    outstanding.put(write.sequence, write);
    lane.sinceFloor.add(write);
    return Optional.of(write);
  }

  private int capacityUsed(Lane lane) {
    return mutation.equals(Optional.of(SplitMutation.WINDOW_NOT_INHERITED))
        ? (int) lane.sinceFloor.stream().filter(write -> lanes.get(write.lane) == lane).count()
        : lane.sinceFloor.size();
  }

  /** The region to which a write is sent. */
  int regionOf(Write write) {
    return regions.floorEntry(write.key).getValue();
  }

  ModelRegion.Command.Add command(Write write) {
    int region = regionOf(write);
    Lane lane = lanes.computeIfAbsent(region, any -> new Lane());
    if (write.lane != region) {
      Lane former = lanes.get(write.lane);
      write.lane = region;
      former.left.add(write);
      lane.left.remove(write);
      if (!lane.sinceFloor.contains(write)) {
        lane.sinceFloor.add(write);
      }
      former.settle();
    }
    long floor = Math.min(write.sequence, lane.sinceFloor.get(0).sequence);
    return new ModelRegion.Command.Add(id, write.sequence, floor, write.key);
  }

  void end(Write write) {
    write.ended = true;
    outstanding.remove(write.sequence);
    lanes.values().forEach(Lane::settle);
  }

  /** Adopts a newer topology. */
  void learn(TreeMap<Integer, Integer> topology) {
    TreeMap<Integer, Integer> former = regions;
    regions = new TreeMap<>(topology);
    if (mutation.equals(Optional.of(SplitMutation.NO_FLOOR_CAP))) {
      return;
    }
    topology.forEach(
        (start, region) -> {
          // Splits only: the region that had the first key had all of them.
          Lane origin = lanes.get(former.floorEntry(start).getValue());
          if (!former.containsValue(region) && origin != null) {
            Lane lane = new Lane();
            lane.sinceFloor.addAll(origin.sinceFloor);
            lane.left.addAll(origin.left);
            lanes.put(region, lane);
          }
        });
  }
}
