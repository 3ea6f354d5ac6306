package io.quorate.server.cluster;

import io.quorate.client.wire.v1.Reads;
import io.quorate.client.wire.v1.Topology;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.quorum.QuorumRule;
import io.quorate.consensus.quorum.ReadMix;
import io.quorate.server.config.ClusterId;
import io.quorate.server.config.NodeAddress;
import io.quorate.server.region.RegionDescriptor;
import io.quorate.server.region.RegionTable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * What this node knows of the cluster. It starts without a map, gets one once, and its replicas one
 * by one as they open. Any thread; nothing blocks.
 */
public final class ClusterMap {
  private final ClusterId cluster;
  private final NodeId self;
  private volatile List<NodeAddress> nodes;
  private final Service service;
  private final Map<GroupId, HostedRegion> hosted = new ConcurrentSkipListMap<>();
  private volatile Optional<RegionTable> table = Optional.empty();

  /**
   * How regions are served; the same on every node.
   *
   * @param leadersOnly whether only a region's leader takes writes, and reads too unless {@code
   *     replicasRead}
   * @param replicasRead whether any replica takes reads
   * @param linearizable whether reads are linearizable that ask for what the cluster is set up for
   * @param quorumRule by which rule shares of a quorum make such a read, if that is how it is
   *     served
   * @param mix how such reads are divided between the leader and a quorum of the others, if they
   *     are
   */
  public record Service(
      boolean leadersOnly,
      boolean replicasRead,
      boolean linearizable,
      Optional<QuorumRule> quorumRule,
      Optional<ReadMix.Policy> mix) {}

  /**
   * @param nodes every node of the cluster, as far as the configuration says
   */
  public ClusterMap(ClusterId cluster, NodeId self, List<NodeAddress> nodes, Service service) {
    this.cluster = cluster;
    this.self = self;
    this.nodes = List.copyOf(nodes);
    this.service = service;
  }

  public ClusterId cluster() {
    return cluster;
  }

  public Service service() {
    return service;
  }

  public NodeId self() {
    return self;
  }

  public NodeAddress selfAddress() {
    return find(self).orElseThrow();
  }

  /** The regions with data; empty until the map is known. */
  public Optional<RegionTable> table() {
    return table;
  }

  /**
   * Takes the stored map. Of nodes that the configuration lists too, the addresses in the
   * configuration hold: it is where an operator says that a host has moved.
   */
  public synchronized void learn(RegionTable known, List<NodeAddress> stored) {
    List<NodeAddress> all = new ArrayList<>(nodes);
    stored.stream().filter(node -> find(node.id()).isEmpty()).forEach(all::add);
    nodes = List.copyOf(all);
    table = Optional.of(known);
  }

  /** Where a node is reached, if it is known. */
  public Optional<NodeAddress> find(NodeId id) {
    return nodes.stream().filter(node -> node.id().equals(id)).findFirst();
  }

  /** Adds a replica that has opened. */
  public void host(HostedRegion region) {
    hosted.put(region.descriptor().id(), region);
  }

  /** This node's replica of a region, if it has one and it is open. */
  public Optional<HostedRegion> hosted(GroupId region) {
    return Optional.ofNullable(hosted.get(region));
  }

  /** This node's open replicas, the metadata's among them, in the order of their numbers. */
  public Collection<HostedRegion> hosted() {
    return new TreeMap<>(hosted).values();
  }

  /** The map for clients, with leaders as far as this node knows them. */
  public Topology topology() {
    Topology.Builder message =
        Topology.newBuilder()
            .setClusterId(cluster.value())
            .setLeadersOnly(service.leadersOnly())
            .setReads(reads());
    nodes.forEach(node -> message.addNodes(TopologyMessages.of(node)));
    for (RegionDescriptor region : table.map(RegionTable::regions).orElse(List.of())) {
      String leader = leader(region.id()).map(NodeId::value).orElse("");
      message.addRegions(TopologyMessages.of(region).setLeader(leader));
    }
    return message.build();
  }

  private Reads reads() {
    Reads.Builder message =
        Reads.newBuilder()
            .setByReplicas(service.replicasRead())
            .setNotLinearizable(!service.linearizable());
    service
        .quorumRule()
        .ifPresent(
            rule ->
                message.setQuorumRule(
                    switch (rule) {
                      case BARRIER -> Reads.QuorumRule.BARRIER;
                      case RETRY -> Reads.QuorumRule.RETRY;
                      case NEWEST -> Reads.QuorumRule.NEWEST;
                    }));
    service
        .mix()
        .ifPresent(
            mix -> {
              Reads.Mix.Builder divided = Reads.Mix.newBuilder().setAdaptive(mix.adaptive());
              mix.leaderFraction().ifPresent(divided::setLeaderFraction);
              message.setMix(divided);
            });
    return message.build();
  }

  private Optional<NodeId> leader(GroupId region) {
    return hosted(region).flatMap(replica -> replica.group().view().leader());
  }
}
