package io.quorate.server.node.monitor;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.NodeToNode;
import io.quorate.client.cluster.NodeAddress;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.LocalReplica;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * For how long the replicas of this node have been behind: the time since the first position was
 * known to be committed, here or on another node, that a replica has not applied. A time, and no
 * number of positions, since in a region with few writes a replica that stands still is only few
 * positions behind.
 *
 * <p>Run every few seconds, by one thread; does not block. What others have committed is requested
 * from those with replicas of the same regions, with one request to each in progress. Results on
 * any thread.
 */
public final class ReplicaLag implements Runnable {
  public static final Duration INTERVAL = Duration.ofSeconds(2);

  /** Since when a replica counts as behind: longer than a pause or an election takes. */
  static final Duration REPORTED_MIN = Duration.ofSeconds(10);

  private final ClusterTopology topology;
  private final Function<NodeId, CompletionStage<Map<GroupId, Long>>> positions;
  private final LongSupplier nanoClock;
  private final Map<GroupId, LagMarks> marks = new HashMap<>();
  private final Map<GroupId, Duration> behind = new ConcurrentHashMap<>();

  /** What each of the other nodes had committed when it responded last. */
  private final Map<NodeId, Map<GroupId, Long>> committed = new ConcurrentHashMap<>();

  /** The nodes to which a request is in progress. */
  private final Set<NodeId> requested = ConcurrentHashMap.newKeySet();

  /**
   * @param positions requests the committed positions of the replicas of a node; must not block
   * @param nanoClock as {@link System#nanoTime}
   */
  public ReplicaLag(
      ClusterTopology topology,
      Function<NodeId, CompletionStage<Map<GroupId, Long>>> positions,
      LongSupplier nanoClock) {
    this.topology = topology;
    this.positions = positions;
    this.nanoClock = nanoClock;
  }

  /**
   * @param client of the other nodes
   */
  public static ReplicaLag of(ClusterTopology topology, AsyncQuorateClient client) {
    return new ReplicaLag(
        topology,
        node ->
            topology
                .find(node)
                .map(found -> new NodeAddress(found.host(), found.clientPort()))
                .map(address -> NodeToNode.committed(client, node, address))
                .orElseGet(() -> CompletableFuture.completedFuture(Map.of())),
        System::nanoTime);
  }

  /**
   * For how long a replica has been behind; zero if it is not, if it hibernates, and if there is
   * none.
   */
  public Duration of(GroupId region) {
    return behind.getOrDefault(region, Duration.ZERO);
  }

  /** The same, if it is to be reported. */
  public Optional<Duration> reported(GroupId region) {
    return Optional.of(of(region)).filter(time -> time.compareTo(REPORTED_MIN) >= 0);
  }

  @Override
  public void run() {
    Set<GroupId> running = new HashSet<>();
    Set<NodeId> others = new HashSet<>();
    for (LocalReplica region : topology.hosted()) {
      // One that hibernates applies nothing until its next use.
      if (!region.group().view().hibernating()) {
        running.add(region.assignment().id());
        others.addAll(region.assignment().replicas());
        observe(region);
      }
    }
    marks.keySet().retainAll(running);
    behind.keySet().retainAll(running);
    others.remove(topology.self());
    committed.keySet().retainAll(others);
    others.forEach(this::request);
  }

  private void observe(LocalReplica region) {
    GroupId id = region.assignment().id();
    long here = region.group().view().committed().index();
    long anywhere =
        committed.values().stream()
            .mapToLong(positionsOf -> positionsOf.getOrDefault(id, here))
            .reduce(here, Math::max);
    Duration time =
        marks
            .computeIfAbsent(id, absent -> new LagMarks())
            .observe(region.store().applied().index(), anywhere, nanoClock.getAsLong());
    behind.put(id, time);
  }

  private void request(NodeId node) {
    if (requested.add(node)) {
      positions
          .apply(node)
          .whenComplete(
              (found, failure) -> {
                if (failure == null) {
                  committed.put(node, found);
                }
                requested.remove(node);
              });
    }
  }
}
