package io.quorate.server.topology;

import io.quorate.client.wire.v1.Reads;
import io.quorate.client.wire.v1.Topology;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.Member;
import io.quorate.consensus.NodeId;
import io.quorate.quorum.QuorumRule;
import io.quorate.quorum.ReadBalancer;
import io.quorate.server.config.ClusterId;
import io.quorate.server.config.ClusterNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * This node's view of the cluster: its nodes, its regions and the local replicas. It starts without
 * regions, and receives them, and each change of them, from storage; the local replicas are added
 * as they open, and removed as they leave. Any thread; does not block.
 */
public final class ClusterTopology {
  private final ClusterId cluster;
  private final NodeId self;
  private volatile List<ClusterNode> nodes;
  private final Service service;
  private final Map<GroupId, LocalReplica> hosted = new ConcurrentSkipListMap<>();
  private volatile Optional<RegionTable> table = Optional.empty();

  /**
   * How regions are served; the same on every node.
   *
   * @param leadersOnly whether only a region's leader accepts writes, and reads too unless {@code
   *     replicasRead}
   * @param replicasRead whether any replica serves reads
   * @param linearizable whether reads in the configured mode are linearizable
   * @param quorumRule the rule that merges the read replies of a quorum in the configured mode;
   *     empty if the mode does not use them
   * @param mix how reads are divided between the leader and a quorum of the other replicas; empty
   *     if the configured mode does not divide them
   */
  public record Service(
      boolean leadersOnly,
      boolean replicasRead,
      boolean linearizable,
      Optional<QuorumRule> quorumRule,
      Optional<ReadBalancer.Policy> mix) {}

  /**
   * @param nodes every node of the cluster that is in the configuration
   */
  public ClusterTopology(ClusterId cluster, NodeId self, List<ClusterNode> nodes, Service service) {
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

  public ClusterNode selfAddress() {
    return find(self).orElseThrow();
  }

  /** The regions with data; empty until the stored topology is known. */
  public Optional<RegionTable> table() {
    return table;
  }

  /**
   * Adopts the stored topology, except regions of which a newer description is known: the source
   * may be another node, which may be behind. For nodes that are also in the configuration, the
   * configured addresses take precedence: an operator changes the address of a moved host there.
   */
  public synchronized void learn(RegionTable storedTable, List<ClusterNode> storedNodes) {
    List<ClusterNode> all = new ArrayList<>(nodes);
    storedNodes.stream().filter(node -> find(node.id()).isEmpty()).forEach(all::add);
    nodes = List.copyOf(all);
    table = Optional.of(table.map(known -> known.newest(storedTable)).orElse(storedTable));
  }

  /** The addresses of a node, if they are known. */
  public Optional<ClusterNode> find(NodeId id) {
    return nodes.stream().filter(node -> node.id().equals(id)).findFirst();
  }

  /** The nodes as members of a group, without those whose addresses are not known. */
  public List<Member> members(List<NodeId> ids) {
    return ids.stream().map(this::find).flatMap(Optional::stream).map(ClusterNode::member).toList();
  }

  /** Adds a local replica that is open, or replaces its description. */
  public void host(LocalReplica region) {
    hosted.put(region.assignment().id(), region);
  }

  /** Removes a local replica, which is about to be closed. */
  public void unhost(GroupId region) {
    hosted.remove(region);
  }

  /** The local replica of a region, if there is one and it is open. */
  public Optional<LocalReplica> hosted(GroupId region) {
    return Optional.ofNullable(hosted.get(region));
  }

  /** The open local replicas, including that of the metadata region, in the order of their ids. */
  public Collection<LocalReplica> hosted() {
    return new TreeMap<>(hosted).values();
  }

  /** The topology for clients, with the leaders that are known to this node. */
  public Topology topology() {
    Topology.Builder message =
        Topology.newBuilder()
            .setClusterId(cluster.value())
            .setLeadersOnly(service.leadersOnly())
            .setReads(reads());
    nodes.forEach(node -> message.addNodes(TopologyMessages.of(node)));
    for (RegionAssignment region : table.map(RegionTable::regions).orElse(List.of())) {
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
              Reads.Mix.Builder mixMessage = Reads.Mix.newBuilder().setAdaptive(mix.adaptive());
              mix.leaderFraction().ifPresent(mixMessage::setLeaderFraction);
              message.setMix(mixMessage);
            });
    return message.build();
  }

  private Optional<NodeId> leader(GroupId region) {
    return hosted(region).flatMap(replica -> replica.group().view().leader());
  }
}
