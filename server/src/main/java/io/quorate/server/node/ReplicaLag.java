package io.quorate.server.node;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.ClusterStatus;
import io.quorate.client.NodeToNode;
import io.quorate.client.ReplicaState;
import io.quorate.consensus.GroupId;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.LocalReplica;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * For how long the replicas of this node have been behind: the time since the first position was
 * known to be committed, here or on another node, that a replica has not applied. A time, and no
 * number of positions, since in a region with few writes a replica that stands still is only few
 * positions behind.
 *
 * <p>Run every few seconds, by one thread; does not block. What others have committed is requested
 * from them, with one request in progress. Results on any thread.
 */
final class ReplicaLag implements Runnable {
  static final Duration INTERVAL = Duration.ofSeconds(2);

  /** Since when a replica counts as behind: longer than a pause or an election takes. */
  static final Duration REPORTED_MIN = Duration.ofSeconds(10);

  private final ClusterTopology topology;
  private final Supplier<? extends CompletionStage<ClusterStatus>> positions;
  private final LongSupplier nanoClock;
  private final Map<GroupId, LagMarks> marks = new HashMap<>();
  private final Map<GroupId, Duration> behind = new ConcurrentHashMap<>();

  /** What the nodes that responded last have committed. */
  private volatile Map<GroupId, Long> committed = Map.of();

  private volatile boolean isRequested;

  /**
   * @param positions requests the committed positions of the replicas of all nodes; must not block
   * @param nanoClock as {@link System#nanoTime}
   */
  ReplicaLag(
      ClusterTopology topology,
      Supplier<? extends CompletionStage<ClusterStatus>> positions,
      LongSupplier nanoClock) {
    this.topology = topology;
    this.positions = positions;
    this.nanoClock = nanoClock;
  }

  /**
   * @param client of all nodes
   */
  static ReplicaLag of(ClusterTopology topology, AsyncQuorateClient client) {
    return new ReplicaLag(topology, () -> NodeToNode.positions(client), System::nanoTime);
  }

  /**
   * For how long a replica has been behind; zero if it is not, if it hibernates, and if there is
   * none.
   */
  Duration of(GroupId region) {
    return behind.getOrDefault(region, Duration.ZERO);
  }

  /** The same, if it is to be reported. */
  Optional<Duration> reported(GroupId region) {
    return Optional.of(of(region)).filter(time -> time.compareTo(REPORTED_MIN) >= 0);
  }

  @Override
  public void run() {
    Set<GroupId> running = new HashSet<>();
    for (LocalReplica region : topology.hosted()) {
      // One that hibernates applies nothing until its next use.
      if (!region.group().view().hibernating()) {
        running.add(region.assignment().id());
        observe(region);
      }
    }
    marks.keySet().retainAll(running);
    behind.keySet().retainAll(running);
    request();
  }

  private void observe(LocalReplica region) {
    GroupId id = region.assignment().id();
    long here = region.group().view().committed().index();
    Duration time =
        marks
            .computeIfAbsent(id, absent -> new LagMarks())
            .observe(
                region.store().applied().index(),
                Math.max(here, committed.getOrDefault(id, here)),
                nanoClock.getAsLong());
    behind.put(id, time);
  }

  private void request() {
    if (isRequested) {
      return;
    }
    isRequested = true;
    positions
        .get()
        .whenComplete(
            (status, failure) -> {
              if (failure == null) {
                committed = greatest(status);
              }
              isRequested = false;
            });
  }

  private static Map<GroupId, Long> greatest(ClusterStatus status) {
    Map<GroupId, Long> greatest = new HashMap<>();
    status.nodes().stream()
        .flatMap(node -> node.state().stream())
        .flatMap(node -> node.replicas().stream())
        .forEach(
            (ReplicaState replica) ->
                greatest.merge(replica.region().id(), replica.committed(), Math::max));
    return Map.copyOf(greatest);
  }
}
