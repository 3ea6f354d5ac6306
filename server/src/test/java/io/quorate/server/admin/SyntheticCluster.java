package io.quorate.server.admin;

import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.DeviceState;
import io.quorate.client.cluster.NodeAddress;
import io.quorate.client.cluster.NodeDescriptor;
import io.quorate.client.cluster.NodeReport;
import io.quorate.client.cluster.NodeState;
import io.quorate.client.cluster.PlacementState;
import io.quorate.client.cluster.RegionDescriptor;
import io.quorate.client.cluster.RegionEpoch;
import io.quorate.client.cluster.RegionPlan;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.client.cluster.TrafficSample;
import io.quorate.client.cluster.TrafficSample.Latency;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.NodeId;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.IntStream;

/** The status of a cluster of any size, as the client collects it. */
final class SyntheticCluster {
  private static final int REPLICAS = 3;
  private static final int SAMPLES = 60;
  private static final long ROW_BYTES = 700L << 20;

  private final int nodes;
  private final int regions;
  private final Map<GroupId, RegionPlan> plans = new HashMap<>();

  /** The regions that have lost the replica after that of their leader. */
  private final List<Integer> lost = new ArrayList<>();

  private final List<Integer> leaderless = new ArrayList<>();
  private final Set<Integer> hibernating = new HashSet<>();
  private final Set<NodeId> down = new HashSet<>();
  private final Set<NodeId> full = new HashSet<>();
  private final Set<NodeId> behind = new HashSet<>();
  private final List<NodeId> slow = new ArrayList<>();

  /** Of regions that are not led by their first replica. */
  private final Map<Integer, NodeId> leaders = new HashMap<>();

  /** Those of the first node, the newest first. */
  private final List<PlacementState.Decision> decisions = new ArrayList<>();

  private SyntheticCluster(int nodes, int regions) {
    this.nodes = nodes;
    this.regions = regions;
  }

  /** A failure of a cluster of three nodes with six regions. */
  enum Failure {
    NODE_DOWN,
    MAJORITY_LOST,
    FULL_DISK,
    FULL_DISK_OF_LEADER,
    STUCK_REPLICA,
    LOST_REPLICA
  }

  /** Three nodes and six regions, regions 5 and 6 of which hibernate, after a failure. */
  static ClusterStatus after(Optional<Failure> failure) {
    SyntheticCluster cluster = new SyntheticCluster(3, 6);
    cluster.hibernating.addAll(Set.of(5, 6));
    failure.ifPresent(cluster::fail);
    return cluster.status();
  }

  private void fail(Failure failure) {
    switch (failure) {
      case NODE_DOWN -> down.add(node(2));
      case MAJORITY_LOST -> {
        down.addAll(List.of(node(1), node(2)));
        leaderless.addAll(List.of(0, 1, 2, 3, 4, 5, 6));
        hibernating.clear();
      }
      case FULL_DISK -> {
        full.add(node(0));
        // It has handed its leaderships over.
        leaders.putAll(Map.of(0, node(1), 3, node(1)));
      }
      case FULL_DISK_OF_LEADER -> full.add(node(0));
      case STUCK_REPLICA -> behind.add(node(1));
      case LOST_REPLICA -> lost.add(2);
    }
  }

  /** A cluster in which nothing is wrong or under way, and regions are led in turn. */
  static ClusterStatus of(int nodes, int regions) {
    return new SyntheticCluster(nodes, regions).status();
  }

  /**
   * A cluster in which region 5 moves, region 6 splits, region 12 is merged into region 11 for the
   * second time, regions 7 and 21 have lost a replica, region 9 has no leader, and the device of n3
   * has become slow, which the leader of region 8 has left.
   *
   * @param nodes more than 3
   * @param regions 21 or more
   */
  static ClusterStatus withTroubles(int nodes, int regions) {
    SyntheticCluster cluster = new SyntheticCluster(nodes, regions);
    cluster.plans.put(
        new GroupId(5),
        new RegionPlan.Replicas(
            Optional.of(cluster.replicas(5).get(0)), Optional.of(cluster.node(5 + REPLICAS))));
    cluster.plans.put(new GroupId(6), new RegionPlan.Split(key(6), new GroupId(regions + 1)));
    RegionPlan merge = new RegionPlan.Merge(new GroupId(12), new GroupId(11));
    cluster.plans.put(new GroupId(11), merge);
    cluster.plans.put(new GroupId(12), merge);
    cluster.lost.addAll(List.of(7, 21));
    cluster.leaderless.add(9);
    NodeId n3 = cluster.node(2);
    cluster.slow.add(n3);
    cluster.decisions.add(
        new PlacementState.Decision(
            Instant.parse("2026-01-02T03:04:06Z"),
            "transfer",
            new GroupId(8),
            Optional.of(n3),
            Optional.of(cluster.node(3)),
            "the device of n3 has become slow",
            Optional.of("completed")));
    cluster.decisions.add(
        new PlacementState.Decision(
            Instant.parse("2026-01-02T03:04:05Z"),
            "move",
            new GroupId(5),
            Optional.of(cluster.replicas(5).get(0)),
            Optional.of(cluster.node(5 + REPLICAS)),
            "n1 holds 1.40 of its share",
            Optional.empty()));
    cluster.decisions.add(
        new PlacementState.Decision(
            Instant.parse("2026-01-02T03:04:04Z"),
            "merge",
            new GroupId(11),
            Optional.empty(),
            Optional.empty(),
            "region 12 is too large to be absorbed",
            Optional.of("withdrawn")));
    return cluster.status();
  }

  private ClusterStatus status() {
    return new ClusterStatus(IntStream.range(0, nodes).mapToObj(this::report).toList());
  }

  private NodeReport report(int number) {
    NodeId id = node(number);
    if (down.contains(id)) {
      return new NodeReport(
          Optional.of(id),
          descriptor(number).address(),
          Optional.empty(),
          Optional.of("Connection refused."));
    }
    List<RegionDescriptor> all = IntStream.rangeClosed(0, regions).mapToObj(this::region).toList();
    Map<GroupId, RegionEpoch> lostHere = new HashMap<>();
    List<ReplicaState> replicas = new ArrayList<>();
    for (RegionDescriptor region : all) {
      int place = region.replicas().indexOf(id);
      if (place == 1 && lost.contains(region.id().value())) {
        lostHere.put(region.id(), region.epoch());
      } else if (place >= 0) {
        replicas.add(replica(region, id));
      }
    }
    NodeState state =
        new NodeState(
            id,
            "synthetic",
            "1",
            "raft",
            Map.of("engine", "raft", "reads", "leader", "reply", "apply"),
            Duration.ofHours(3),
            Optional.of("The disk of this node is nearly full.").filter(text -> full.contains(id)),
            false,
            1,
            IntStream.range(0, nodes).mapToObj(this::descriptor).toList(),
            all,
            plans,
            replicas,
            Optional.empty(),
            NodeState.JoinState.JOINED,
            lostHere,
            Optional.of(device(number, slow.contains(id))),
            number == 0 && !decisions.isEmpty()
                ? Optional.of(new PlacementState("alor", decisions, List.of()))
                : Optional.empty(),
            traffic(number),
            List.of(),
            0,
            Map.of());
    return new NodeReport(
        Optional.of(id), descriptor(number).address(), Optional.of(state), Optional.empty());
  }

  private RegionDescriptor region(int number) {
    KeyRange range =
        number == 0
            ? KeyRange.ALL
            : new KeyRange(
                number == 1 ? Key.wrap(new byte[0]) : key(number),
                number == regions ? Optional.empty() : Optional.of(key(number + 1)));
    List<NodeId> replicas = replicas(number);
    return new RegionDescriptor(
        new GroupId(number),
        new RegionEpoch(1),
        range,
        replicas,
        leaderless.contains(number) || hibernating.contains(number)
            ? Optional.empty()
            : Optional.of(
                leaders.getOrDefault(
                    number,
                    replicas.stream().filter(id -> !down.contains(id)).findFirst().orElseThrow())));
  }

  private ReplicaState replica(RegionDescriptor region, NodeId node) {
    boolean leads = region.leader().equals(Optional.of(node));
    boolean isAsleep = hibernating.contains(region.id().value());
    long committed = 1000 + region.id().value();
    return new ReplicaState(
        region,
        region.replicas(),
        leads,
        2,
        committed,
        leads ? committed : committed - 1,
        committed - 100,
        Optional.empty(),
        Optional.empty(),
        0,
        ROW_BYTES / (1 + region.id().value() % 7),
        ReplicaState.SplitKeys.NONE,
        isAsleep,
        OptionalDouble.empty(),
        Set.of(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        OptionalDouble.empty(),
        Optional.of(Duration.ofSeconds(95)).filter(time -> behind.contains(node) && !isAsleep));
  }

  private static DeviceState device(int node, boolean isSlow) {
    return new DeviceState(
        OptionalDouble.of(200e6 / (node + 1)),
        OptionalDouble.of(80e6 / (node + 1)),
        400L << 30,
        OptionalDouble.of(1.2e6 * (node + 1)),
        isSlow);
  }

  private static List<TrafficSample> traffic(int node) {
    return IntStream.range(0, SAMPLES)
        .mapToObj(
            i -> {
              double wave = Math.sin((i + 7 * node) / 9.0) + Math.sin(i / 3.0) / 4;
              return new TrafficSample(
                  Duration.ofSeconds(5L * (SAMPLES - 1 - i)),
                  Duration.ofSeconds(5),
                  Math.round(20_000 + 4_000 * wave),
                  Math.round(6_000 + 900 * wave),
                  0,
                  Optional.of(latency(420 + 40 * wave)),
                  Optional.of(latency(2600 + 300 * wave)));
            })
        .toList();
  }

  private static Latency latency(double mean) {
    return new Latency(Math.round(mean), Math.round(mean * 4));
  }

  private List<NodeId> replicas(int region) {
    return IntStream.range(0, Math.min(REPLICAS, nodes)).mapToObj(i -> node(region + i)).toList();
  }

  private NodeId node(int number) {
    return new NodeId("n" + (number % nodes + 1));
  }

  private NodeDescriptor descriptor(int number) {
    return new NodeDescriptor(
        node(number),
        new NodeAddress("db" + (number + 1) + ".example.net", 7001),
        List.of("zone=" + "abc".charAt(number % 3)),
        false);
  }

  /** With markup, which the page must show as it is. */
  private static Key key(int region) {
    return Key.wrap("<b>user:%05d".formatted(region * 37).getBytes(StandardCharsets.UTF_8));
  }
}
