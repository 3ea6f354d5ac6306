package io.quorate.server.digest;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.NodeToNode;
import io.quorate.client.cluster.NodeAddress;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.consensus.Member;
import io.quorate.consensus.MetricsSink;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.protocol.operation.RegionDigest;
import io.quorate.server.config.ClusterNode;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.LocalReplica;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares each new digest of this node's replicas with those of the other members of the group at
 * the same position. A replica that differs from a majority is lost, which its own node decides: so
 * it need not be told, and no other node can be wrong about it. If no majority agrees, nobody knows
 * which replica is right; that is reported until a later digest is equal.
 *
 * <p>Run by one thread, which waits for other nodes.
 */
public final class ReplicaComparison implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(ReplicaComparison.class);
  private static final long TIMEOUT_SECONDS = 2;

  /** Digests of the others at the same position are awaited for so long. */
  private static final long PATIENCE_NANOS = Duration.ofHours(1).toNanos();

  private final ClusterTopology topology;
  private final AsyncQuorateClient client;
  private final BiConsumer<GroupId, String> differs;
  private final LongSupplier nanoClock;
  private final MetricsSink.Counter equal;
  private final MetricsSink.Counter different;

  /** A digest that is being compared, or was. */
  private record Comparison(Position position, long sinceNanos, boolean isOver) {}

  private final Map<GroupId, Comparison> comparisons = new HashMap<>();
  private final UndecidedDifferences differences;

  /**
   * @param differs called with a region of which this node's replica differs from a majority, and a
   *     sentence about it; must not block
   * @param differences receives those of which none can be told to be right
   * @param nanoClock as {@link System#nanoTime}
   */
  public ReplicaComparison(
      ClusterTopology topology,
      AsyncQuorateClient client,
      BiConsumer<GroupId, String> differs,
      UndecidedDifferences differences,
      LongSupplier nanoClock,
      MetricsSink telemetry) {
    this.topology = topology;
    this.client = client;
    this.differs = differs;
    this.differences = differences;
    this.nanoClock = nanoClock;
    this.equal =
        telemetry.counter(
            "replicas.equal", "Digests that were equal at all replicas of a region", Map.of());
    this.different =
        telemetry.counter(
            "replicas.different", "Digests that were not equal at all replicas", Map.of());
  }

  @Override
  public void run() {
    comparisons.keySet().removeIf(region -> topology.hosted(region).isEmpty());
    differences.settleIf(region -> topology.hosted(region).isEmpty());
    for (LocalReplica region : topology.hosted()) {
      if (Thread.currentThread().isInterrupted()) {
        return;
      }
      region.store().digest().ifPresent(digest -> compare(region, digest));
    }
  }

  private void compare(LocalReplica region, RegionDigest digest) {
    GroupId id = region.assignment().id();
    Comparison known = comparisons.get(id);
    if (known == null || !known.position().equals(digest.position())) {
      known = new Comparison(digest.position(), nanoClock.getAsLong(), false);
      comparisons.put(id, known);
    }
    if (known.isOver()) {
      return;
    }
    List<NodeId> members = region.group().view().members().stream().map(Member::node).toList();
    Map<NodeId, RegionDigest> digests = digests(id, digest, members);
    Agreement agreement = Agreement.of(digests, members);
    boolean isOver = concluded(id, digest, agreement, digests);
    if (isOver || nanoClock.getAsLong() - known.sinceNanos() >= PATIENCE_NANOS) {
      comparisons.put(id, new Comparison(known.position(), known.sinceNanos(), true));
    }
  }

  private Map<NodeId, RegionDigest> digests(
      GroupId region, RegionDigest own, List<NodeId> members) {
    Map<NodeId, RegionDigest> digests = new HashMap<>();
    digests.put(topology.self(), own);
    // All are requested before any is awaited: one that does not respond costs its own time alone.
    Map<NodeId, CompletableFuture<Optional<RegionDigest>>> requested = new HashMap<>();
    for (NodeId member : members) {
      if (!member.equals(topology.self())) {
        topology.find(member).ifPresent(node -> requested.put(member, request(region, node)));
      }
    }
    requested.forEach(
        (member, response) ->
            awaited(region, member, response)
                .filter(digest -> digest.position().equals(own.position()))
                .ifPresent(digest -> digests.put(member, digest)));
    return digests;
  }

  private CompletableFuture<Optional<RegionDigest>> request(GroupId region, ClusterNode node) {
    NodeAddress address = new NodeAddress(node.host(), node.clientPort());
    return NodeToNode.digest(client, node.id(), address, region)
        .orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS);
  }

  private static Optional<RegionDigest> awaited(
      GroupId region, NodeId member, CompletableFuture<Optional<RegionDigest>> response) {
    try {
      return response.get();
    } catch (ExecutionException e) {
      LOG.debug("Node {} does not tell its digest of region {}", member, region, e);
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  /** Returns whether there is nothing to wait for. */
  private boolean concluded(
      GroupId region, RegionDigest own, Agreement agreement, Map<NodeId, RegionDigest> digests) {
    switch (agreement.kind()) {
      case INCOMPLETE -> {
        return false;
      }
      case EQUAL -> {
        differences.settled(region);
        equal.add(1);
      }
      case UNDECIDED -> undecided(region, own, digests);
      case MINORITY_DIFFERS -> {
        // The others find it themselves.
        if (agreement.differing().contains(topology.self())) {
          different.add(1);
          RegionDigest right = digests.get(agreement.agreeing().iterator().next());
          String difference =
              "The replica " + Agreement.difference(own, right, agreement.agreeing()) + ".";
          // By which those who verify recognize why there is no digest of the replica.
          assert difference.startsWith(ReplicaState.DIFFERS) : difference;
          differs.accept(region, difference);
        }
      }
    }
    return true;
  }

  private void undecided(GroupId region, RegionDigest own, Map<NodeId, RegionDigest> digests) {
    NodeId other =
        digests.entrySet().stream()
            .filter(each -> !each.getValue().equals(own))
            .map(Map.Entry::getKey)
            .findFirst()
            .orElseThrow();
    String difference =
        Agreement.difference(own, digests.get(other), List.of(other))
            + ", and no majority of the replicas agrees";
    different.add(1);
    differences.found(region, difference);
    LOG.atError()
        .addKeyValue("region", region)
        .addKeyValue("difference", difference)
        .log("The replicas of a region differ, and which one is right is not known");
  }
}
