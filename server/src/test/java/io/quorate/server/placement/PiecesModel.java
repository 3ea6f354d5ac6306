package io.quorate.server.placement;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.NodeId;
import io.quorate.server.config.PlacementConfig;
import io.quorate.server.placement.ClusterPicture.SplitProposal;
import io.quorate.server.topology.NodeEntry;
import io.quorate.server.topology.PlannedMerge;
import io.quorate.server.topology.RangeSupport;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.StoredTopology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/**
 * A cluster without I/O whose placement takes one step after the other: rows are bytes in numbered
 * buckets, a region has consecutive ones, nodes report sizes and keys late, and changes take some
 * steps.
 */
final class PiecesModel {
  static final int BUCKETS = 1 << 12;
  static final long SPLIT_SIZE = 1_000;

  /** What a merge takes at most: 1 MiB of 1 GiB. */
  static final long MERGED_MAX = 1;

  private final Random random;
  private final PlacementConfig config;
  private final Map<NodeId, NodeDevice> devices = new HashMap<>();
  private final long[] bytes = new long[BUCKETS];

  /** The bytes below each bucket. */
  private final long[] below = new long[BUCKETS + 1];

  private boolean isSummed = true;
  private final Map<GroupId, SplitProposal> reported = new HashMap<>();
  private final List<PlacementEvent> events = new ArrayList<>();
  private StoredTopology topology;
  private long moved;

  PiecesModel(Random random, PlacementConfig config, StoredTopology topology) {
    this.random = random;
    this.config = config;
    this.topology = topology;
  }

  static Key key(int bucket) {
    return Key.utf8(String.format(Locale.ROOT, "%08d", bucket));
  }

  private static int bucket(Key key) {
    return key.isEmpty() ? 0 : Integer.parseInt(new String(key.bytes(), UTF_8));
  }

  StoredTopology topology() {
    return topology;
  }

  List<RegionAssignment> regions() {
    return topology.regions().regions();
  }

  void write(int bucket, long more) {
    bytes[bucket] += more;
    isSummed = false;
  }

  void device(int node, double speed) {
    devices.put(Pictures.node(node), new NodeDevice(speed, Long.MAX_VALUE, false));
  }

  void add(int node) {
    topology = topology.with(Pictures.entry(node, false));
  }

  private int from(RegionAssignment region) {
    return bucket(region.range().start());
  }

  private int to(RegionAssignment region) {
    return region.range().end().map(PiecesModel::bucket).orElse(BUCKETS);
  }

  long size(RegionAssignment region) {
    return below(to(region)) - below(from(region));
  }

  long size() {
    return below(BUCKETS);
  }

  private long below(int bucket) {
    if (!isSummed) {
      for (int i = 0; i < BUCKETS; i++) {
        below[i + 1] = below[i] + bytes[i];
      }
      isSummed = true;
    }
    return below[bucket];
  }

  private Optional<Key> middle(RegionAssignment region) {
    long half = (below(from(region)) + below(to(region))) / 2;
    int at = Arrays.binarySearch(below, from(region) + 1, to(region), half);
    int bucket = at < 0 ? -at - 1 : at;
    return bucket < to(region) ? Optional.of(key(bucket)) : Optional.empty();
  }

  /** An operator splits the region of a bucket there. */
  void split(int bucket) {
    RegionAssignment region = topology.regions().byKey(key(bucket));
    if (region.isStable()) {
      topology = Splits.plan(topology, key(bucket), RangeSupport.SPLITS_OF_ROWS);
    }
  }

  /**
   * An operator merges all small regions into the ones before them where both are on the same
   * nodes.
   */
  int mergeSmallRegions() {
    int merges = 0;
    for (int i = 1; i < regions().size(); ) {
      RegionAssignment into = regions().get(i - 1);
      RegionAssignment absorbed = regions().get(i);
      boolean isPossible =
          into.isStable()
              && absorbed.isStable()
              && size(absorbed) <= MERGED_MAX
              && into.replicas().containsAll(absorbed.replicas());
      if (isPossible) {
        PlannedMerge merge = new PlannedMerge(topology.nextNumber(), absorbed.id(), into.id());
        topology = topology.with(into.planned(merge), absorbed.planned(merge)).merged(merge);
        reported.remove(absorbed.id());
        merges++;
      } else {
        i++;
      }
    }
    return merges;
  }

  /** Nodes report, and placement takes a step; changes that are planned may be complete by then. */
  List<PlacementEvent> step(boolean isPrompt) {
    for (RegionAssignment region : regions()) {
      if (isPrompt || random.nextInt(3) == 0) {
        long size = size(region);
        reported.put(
            region.id(),
            new SplitProposal(
                config.splits().isLarge(size) ? middle(region) : Optional.empty(),
                Optional.empty(),
                size));
      }
    }
    PlacementStep step =
        PlacementStep.of(
            picture(),
            config,
            RangeSupport.SPLITS_OF_ROWS,
            region ->
                region.isStable() || !isPrompt && random.nextInt(3) > 0
                    ? Optional.empty()
                    : Optional.of(region.replicasAfterChange()),
            region -> false,
            region -> false);
    step.events().stream()
        .filter(event -> isPlanned(event, PlacementEvent.Kind.SPLIT))
        .map(event -> reported.get(event.region()).bytes())
        .filter(size -> size < SPLIT_SIZE)
        .forEach(
            size -> {
              throw new AssertionError("A region of " + size + " is split");
            });
    topology = step.next();
    events.addAll(step.events());
    step.events().stream()
        .filter(event -> isPlanned(event, PlacementEvent.Kind.MOVE))
        .filter(event -> !event.region().equals(RegionAssignment.METADATA))
        .forEach(event -> moved += size(topology.assignment(event.region()).orElseThrow()));
    return step.events();
  }

  ClusterPicture picture() {
    Map<GroupId, Long> rowBytes = new HashMap<>();
    reported.forEach((region, proposal) -> rowBytes.put(region, proposal.bytes()));
    ClusterPicture led = Pictures.measured(topology, devices, rowBytes, Map.of());
    return new ClusterPicture(
        led.topology(),
        led.responding(),
        led.leaders(),
        rowBytes,
        reported,
        led.lost(),
        devices,
        led.rates(),
        led.completeBodies(),
        led.unsplit(),
        led.refusing());
  }

  /** Steps until nothing is decided any more. */
  int settle(int stepsMax) {
    int quiet = 0;
    int steps = 0;
    while (quiet < 3) {
      quiet = step(quiet > 0).isEmpty() && isStable() ? quiet + 1 : 0;
      if (++steps > stepsMax) {
        throw new AssertionError(
            "Does not end: " + events.subList(events.size() - 20, events.size()));
      }
    }
    return steps;
  }

  private boolean isStable() {
    return topology.assignments().stream().allMatch(RegionAssignment::isStable);
  }

  long count(PlacementEvent.Kind kind) {
    return events.stream().filter(event -> isPlanned(event, kind)).count();
  }

  private static boolean isPlanned(PlacementEvent event, PlacementEvent.Kind kind) {
    return event.kind() == kind && event.phase() == PlacementEvent.Phase.PLANNED;
  }

  /** The bytes of all replicas that were moved. */
  long moved() {
    return moved;
  }

  /** The number of replicas that each node has, or the bytes of these. */
  Map<NodeId, Long> held(boolean areBytes) {
    Map<NodeId, Long> held = new HashMap<>();
    topology.nodes().stream().map(NodeEntry::id).forEach(node -> held.put(node, 0L));
    for (RegionAssignment region : regions()) {
      long size = areBytes ? size(region) : 1;
      region.replicas().forEach(node -> held.merge(node, size, Long::sum));
    }
    return held;
  }
}
