package io.quorate.storage.split;

import io.quorate.protocol.operation.RequestId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A client: which writes it has outstanding, where it sends them, and with which floor. The rules
 * of floors are those of the client's sequencer.
 */
public final class ModelClient {
  /** The number of results that a session may have. */
  public static final int WINDOW = 4;

  /** A write; its lanes are those that have it. */
  public static final class Write {
    public final long sequence;
    public final int key;
    private int lane;
    private boolean ended;

    Write(long sequence, int key, int lane) {
      this.sequence = sequence;
      this.key = key;
      this.lane = lane;
    }
  }

  private static final class Lane {
    final int region;
    final List<Write> sinceFloor = new ArrayList<>();
    final Set<Write> left = new HashSet<>();

    /** An upper bound of the floor of the session in the region. */
    long highestFloor;

    /** Whether the region is not in the topology any more. */
    boolean hasEnded;

    Lane(int region) {
      this.region = region;
    }

    boolean isWithout(Write write) {
      return left.contains(write) || !sinceFloor.contains(write);
    }

    void takeIn(List<Lane> others) {
      List<Lane> all = new ArrayList<>(others);
      all.add(this);
      List<Write> ordered =
          all.stream()
              .flatMap(lane -> lane.sinceFloor.stream())
              .distinct()
              .sorted(Comparator.comparingLong(write -> write.sequence))
              .toList();
      List<Write> leftAll =
          ordered.stream()
              .filter(write -> all.stream().allMatch(lane -> lane.isWithout(write)))
              .toList();
      sinceFloor.clear();
      sinceFloor.addAll(ordered);
      left.clear();
      left.addAll(leftAll);
      others.forEach(lane -> highestFloor = Math.max(highestFloor, lane.highestFloor));
      if (others.stream().anyMatch(lane -> lane.hasEnded)
          && sinceFloor.size() > RequestId.resultsAfterMerge(WINDOW)) {
        // The region may have dropped results when it absorbed the other one.
        long lastNumber = sinceFloor.get(sinceFloor.size() - 1).sequence;
        highestFloor = Math.max(highestFloor, lastNumber + 1);
      }
    }

    void settle() {
      while (!sinceFloor.isEmpty()
          && (sinceFloor.get(0).ended || left.contains(sinceFloor.get(0)))) {
        left.remove(sinceFloor.remove(0));
      }
    }
  }

  public final int id;
  public final TreeMap<Long, Write> outstanding = new TreeMap<>();
  private final Optional<SplitMutation> mutation;
  private final Map<Integer, Lane> lanes = new HashMap<>();
  private TreeMap<Integer, Integer> regions;
  private long last;

  /**
   * @param regions by their first keys
   */
  public ModelClient(
      int id, SortedMap<Integer, Integer> regions, Optional<SplitMutation> mutation) {
    this.id = id;
    this.regions = new TreeMap<>(regions);
    this.mutation = mutation;
  }

  /** Begins a write, unless the window of its region is full. */
  public Optional<Write> begin(int key) {
    int region = regions.floorEntry(key).getValue();
    Lane lane = lane(region);
    if (capacityUsed(lane) >= WINDOW) {
      return Optional.empty();
    }
    Write write = new Write(++last, key, region);
    outstanding.put(write.sequence, write);
    lane.sinceFloor.add(write);
    return Optional.of(write);
  }

  private Lane lane(int region) {
    return lanes.computeIfAbsent(region, Lane::new);
  }

  private int capacityUsed(Lane lane) {
    return mutation.equals(Optional.of(SplitMutation.WINDOW_NOT_INHERITED))
        ? (int) lane.sinceFloor.stream().filter(write -> write.lane == lane.region).count()
        : lane.sinceFloor.size();
  }

  /** The regions that the client knows. */
  public Collection<Integer> regions() {
    return regions.values();
  }

  /** The region to which a write is sent. */
  public int regionOf(Write write) {
    return regions.floorEntry(write.key).getValue();
  }

  /** Whether the floor in the session of the region of a write may be above it, after a merge. */
  public boolean isBelowFloor(Write write) {
    return write.sequence < lane(regionOf(write)).highestFloor;
  }

  /** The floor with which a write is sent to its region now. */
  public long floor(Write write) {
    int region = regionOf(write);
    Lane lane = lane(region);
    if (write.lane != region) {
      Lane former = lane(write.lane);
      write.lane = region;
      former.left.add(write);
      lane.left.remove(write);
      if (!lane.sinceFloor.contains(write)) {
        lane.sinceFloor.add(write);
      }
      former.settle();
    }
    long floor = Math.min(write.sequence, lane.sinceFloor.get(0).sequence);
    lane.highestFloor = Math.max(lane.highestFloor, floor);
    return floor;
  }

  ModelRegion.Command.Add command(Write write) {
    return new ModelRegion.Command.Add(id, write.sequence, floor(write), write.key);
  }

  public void end(Write write) {
    write.ended = true;
    outstanding.remove(write.sequence);
    lanes.values().forEach(Lane::settle);
    lanes.values().removeIf(lane -> lane.hasEnded && lane.sinceFloor.isEmpty());
  }

  /**
   * Adopts a newer topology. A region that is new, or has absorbed another one, takes in the lanes
   * of the regions whose sessions it may have.
   */
  public void learn(SortedMap<Integer, Integer> topology) {
    TreeMap<Integer, Integer> former = regions;
    regions = new TreeMap<>(topology);
    if (mutation.equals(Optional.of(SplitMutation.NO_FLOOR_CAP))) {
      return;
    }
    lanes.values().forEach(lane -> lane.hasEnded = !regions.containsValue(lane.region));
    Map<Integer, List<Lane>> families = families(former);
    List<Lane> family = List.of();
    for (int region : regions.values()) {
      family = families.getOrDefault(region, family);
      List<Lane> others = family.stream().filter(lane -> lane.region != region).toList();
      if (!others.isEmpty()) {
        lane(region).takeIn(others);
      }
    }
    lanes.values().removeIf(lane -> lane.hasEnded && lane.sinceFloor.isEmpty());
  }

  /** The lanes of the former regions by the nearest one at or before them that remains. */
  private Map<Integer, List<Lane>> families(TreeMap<Integer, Integer> former) {
    Map<Integer, List<Lane>> families = new HashMap<>();
    List<Lane> family = new ArrayList<>();
    for (int region : former.values()) {
      if (regions.containsValue(region)) {
        family = new ArrayList<>();
        families.put(region, family);
      }
      if (lanes.containsKey(region)) {
        family.add(lanes.get(region));
      }
    }
    return families;
  }
}
