package io.quorate.server.verification.nemesis;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.ClientOptions;
import io.quorate.client.NodeReport;
import io.quorate.client.wire.v1.NodeStatus;
import io.quorate.client.wire.v1.Replica;
import io.quorate.consensus.NodeId;
import io.quorate.server.dev.ClusterPlan;
import io.quorate.server.dev.NodeProcess;
import io.quorate.server.dev.ProcessCluster;
import io.quorate.server.verification.network.Network;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** The cluster that faults are injected into, and what a nemesis wants to know of it. */
public final class Arena implements AutoCloseable {
  private static final Duration LOOK_TIMEOUT = Duration.ofSeconds(1);

  private final ProcessCluster cluster;
  private final Network network;
  private final AsyncQuorateClient observer;

  /**
   * @param network in front of the cluster's nodes; not closed with the arena, nor is the cluster
   */
  public Arena(ProcessCluster cluster, Network network) {
    this.cluster = cluster;
    this.network = network;
    // Past the relays, so that it sees all nodes whatever is cut.
    this.observer =
        AsyncQuorateClient.open(
            ClientOptions.builder(
                    cluster.plan().withHosts(id -> ClusterPlan.HOST).clientAddresses())
                .clusterId(cluster.plan().clusterId())
                .clientName("nemesis")
                .attemptTimeout(LOOK_TIMEOUT)
                .build());
  }

  public ProcessCluster cluster() {
    return cluster;
  }

  public Network network() {
    return network;
  }

  /** Nodes whose process runs, paused or not. */
  public List<NodeProcess> running() {
    return cluster.nodes().stream().filter(NodeProcess::isAlive).toList();
  }

  /** Whether only a region's leader serves it. */
  public boolean hasLeaders() {
    return statuses().stream().anyMatch(status -> status.getTopology().getLeadersOnly());
  }

  /**
   * Who leads the region, by the newest report there is; empty where nobody does or tells. Blocks
   * for about a second if a node does not answer.
   */
  public Optional<NodeId> leader(int region) {
    return statuses().stream()
        .flatMap(status -> status.getReplicasList().stream())
        .filter(replica -> replica.getRegion() == region && !replica.getLeader().isEmpty())
        .max(Comparator.comparingLong(Replica::getConsensusEpoch))
        .map(replica -> new NodeId(replica.getLeader()));
  }

  /** One of the data regions. */
  public int anyRegion(Random random) {
    return 1 + random.nextInt(cluster.plan().regions());
  }

  /** The leader of a region, if it runs; where regions have no leader, any node that runs. */
  public Optional<NodeProcess> leaderOrAny(Random random) {
    List<NodeProcess> running = shuffled(running(), random);
    Optional<NodeId> leader = leader(anyRegion(random));
    return running.stream()
        .filter(node -> leader.isEmpty() || node.plan().id().equals(leader.get()))
        .findFirst();
  }

  /** The same elements in random order. */
  static <T> List<T> shuffled(List<T> elements, Random random) {
    List<T> shuffled = new ArrayList<>(elements);
    Collections.shuffle(shuffled, random);
    return shuffled;
  }

  private List<NodeStatus> statuses() {
    return observer.status().join().nodes().stream()
        .map(NodeReport::status)
        .flatMap(Optional::stream)
        .toList();
  }

  @Override
  public void close() {
    observer.close();
  }
}
