package io.quorate.server.topology;

import io.quorate.consensus.Capabilities;
import io.quorate.consensus.Member;
import io.quorate.consensus.NodeDisks;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.protocol.wire.FoundingId;
import io.quorate.protocol.wire.v1.Reads;
import io.quorate.protocol.wire.v1.Topology;
import io.quorate.quorum.QuorumRule;
import io.quorate.quorum.ReadBalancer;
import io.quorate.server.config.ClusterId;
import io.quorate.server.config.ClusterMode;
import io.quorate.server.config.ClusterNode;
import io.quorate.server.config.ServerConfig;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Stream;

/**
 * This node's view of the cluster: its nodes, its regions and the local replicas. It starts without
 * regions, and receives them, and each change of them, from storage; the local replicas are added
 * as they open, and removed as they leave. Any thread; does not block.
 */
public final class ClusterTopology {
  private final ClusterId cluster;
  private final NodeId self;
  private final List<ClusterNode> configured;
  private final Service service;
  private final Map<GroupId, LocalReplica> hosted = new ConcurrentSkipListMap<>();
  private volatile Optional<UUID> founding = Optional.empty();
  private volatile Optional<StoredTopology> stored = Optional.empty();

  /** The stored topology as it is on this node, where what is planned may be in force already. */
  private volatile Optional<StoredTopology> present = Optional.empty();

  /** As this node had it before it was started. */
  private volatile Optional<StoredTopology> recalled = Optional.empty();

  private Set<GroupId> begunChildren = Set.of();
  private Set<GroupId> appliedMerges = Set.of();

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
      Optional<ReadBalancer.Policy> mix) {

    /** What follows from the configuration and the engine. */
    public static Service of(ServerConfig config, Capabilities capabilities) {
      ClusterMode.Reads reads = config.mode().reads();
      return new Service(
          capabilities.hasLeader(),
          !capabilities.hasLeader() || !reads.isByLeaderAlone(),
          reads.isLinearizable(),
          reads.quorumRule(),
          reads.isMixed()
              ? Optional.of(
                  new ReadBalancer.Policy(
                      reads == ClusterMode.Reads.ADAPTIVE, config.leaderReads()))
              : Optional.empty());
    }
  }

  /**
   * @param configured the nodes in this node's configuration
   */
  public ClusterTopology(
      ClusterId cluster, NodeId self, List<ClusterNode> configured, Service service) {
    this.cluster = cluster;
    this.self = self;
    this.configured = List.copyOf(configured);
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

  /**
   * The regions with data, after the splits and merges that are in force on this node; empty until
   * the stored topology is known.
   */
  public Optional<RegionTable> table() {
    return present.map(StoredTopology::regions);
  }

  /** The stored topology; empty until it is known. */
  public Optional<StoredTopology> stored() {
    return stored;
  }

  /**
   * The stored topology with what is in force on this node; the same object until either changes.
   */
  public Optional<StoredTopology> present() {
    return present;
  }

  /**
   * Records to which founding of the cluster this node belongs: topologies of another one are not
   * adopted.
   */
  public void belongTo(UUID id) {
    founding = Optional.of(id);
  }

  /** The founding of the cluster of this node; empty before it has joined. */
  public Optional<UUID> founding() {
    return founding;
  }

  /** Whether a topology may be that of the cluster of this node. */
  public boolean mayBe(StoredTopology found) {
    return founding.isEmpty() || founding.get().equals(found.founding());
  }

  /**
   * Adopts a stored topology, unless a newer one is known: its source may be behind. Ignores that
   * of another founding of the cluster.
   */
  public synchronized void learn(StoredTopology found) {
    if (!mayBe(found)) {
      return;
    }
    founding = Optional.of(found.founding());
    if (stored.isEmpty() || found.version().compareTo(stored.get().version()) > 0) {
      stored = Optional.of(found);
      present = Optional.of(found.whereInForce(begunChildren, appliedMerges));
    }
  }

  /**
   * Applies splits and merges that are in force here, and that the stored topology still has as
   * planned. Clients learn of them at once, since the former regions serve their keys no more.
   *
   * @param children the regions that have begun by splits
   * @param merges the numbers of merges
   */
  public synchronized void inForce(Set<GroupId> children, Set<GroupId> merges) {
    begunChildren = Set.copyOf(children);
    appliedMerges = Set.copyOf(merges);
    present = stored.map(topology -> topology.whereInForce(begunChildren, appliedMerges));
  }

  /**
   * Tells where the nodes were when this node has last received the topology: until it receives the
   * present one, that is known better than what its configuration lists.
   */
  public void recall(StoredTopology former) {
    recalled = Optional.of(former);
  }

  /** The most likely of {@link #addresses}. */
  public Optional<ClusterNode> find(NodeId id) {
    return addresses(id).stream().findFirst();
  }

  /** Whether a name is the host of a node of the cluster, as its configuration or a node says. */
  public boolean isHost(String name) {
    return Stream.concat(
            configured.stream(),
            stored.stream().flatMap(each -> each.nodes().stream()).map(NodeEntry::node))
        .anyMatch(node -> node.host().equalsIgnoreCase(name));
  }

  /**
   * Where a node may be, the most likely addresses first. A node registers its own addresses with
   * the cluster, which take precedence over those that the configuration of another node lists. The
   * latter are tried where no node responds at the former, as after all nodes have moved at once.
   * Of this node, those of its configuration.
   */
  public List<ClusterNode> addresses(NodeId id) {
    Stream<ClusterNode> listed = configured.stream().filter(node -> node.id().equals(id));
    if (id.equals(self)) {
      return listed.toList();
    }
    Stream<ClusterNode> registered =
        stored
            .or(() -> recalled)
            .flatMap(topology -> topology.node(id))
            .map(NodeEntry::node)
            .stream();
    return Stream.concat(registered, listed).distinct().toList();
  }

  /** The disk that is registered for a node. */
  public Optional<NodeDisks.Registered> diskOf(NodeId node) {
    return stored.flatMap(
        topology ->
            topology
                .node(node)
                .flatMap(NodeEntry::disk)
                .map(disk -> new NodeDisks.Registered(disk, topology.version().value())));
  }

  /** Whether a node is in the topology, or in the configuration of this one. */
  public NodeDisks.Presence presence(NodeId node) {
    Optional<StoredTopology> known = stored;
    return new NodeDisks.Presence(
        !addresses(node).isEmpty(),
        known.isPresent() ? OptionalLong.of(known.get().version().value()) : OptionalLong.empty());
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
    founding.ifPresent(id -> message.setFounding(FoundingId.bytes(id)));
    present.ifPresentOrElse(
        topology -> addPresent(message, topology),
        () -> configured.forEach(node -> message.addNodes(TopologyMessages.of(node))));
    return message.build();
  }

  private void addPresent(Topology.Builder message, StoredTopology topology) {
    message
        .setVersion(topology.version().value())
        .setMetadata(TopologyMessages.of(topology.metadata()))
        .setReplicasPerRegion(topology.replicas());
    for (NodeEntry entry : topology.nodes()) {
      message.addNodes(TopologyMessages.of(entry));
    }
    for (RegionAssignment region : topology.regions().regions()) {
      String leader = leader(region.id()).map(NodeId::value).orElse("");
      message.addRegions(TopologyMessages.of(region).setLeader(leader));
    }
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
