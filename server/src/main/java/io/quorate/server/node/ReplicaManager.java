package io.quorate.server.node;

import io.quorate.consensus.ConsensusEngine;
import io.quorate.consensus.ConsensusGroup;
import io.quorate.consensus.GroupSpec;
import io.quorate.consensus.Member;
import io.quorate.consensus.MetricsSink;
import io.quorate.server.config.ClusterNode;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.LocalReplica;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.RegionTable;
import io.quorate.storage.RegionStore;
import io.quorate.storage.Storage;
import io.quorate.storage.options.Keyspace;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Opens this node's replicas. Used by one thread. */
final class ReplicaManager {
  private final Storage storage;
  private final ConsensusEngine engine;
  private final ClusterTopology topology;
  private final MetricsSink telemetry;

  ReplicaManager(
      Storage storage, ConsensusEngine engine, ClusterTopology topology, MetricsSink telemetry) {
    this.storage = storage;
    this.engine = engine;
    this.topology = topology;
    this.telemetry = telemetry;
  }

  /** Opens every replica of the table that is on this node. Blocks. */
  void openAll(RegionTable table) throws IOException {
    for (RegionAssignment region : table.regions()) {
      if (region.isOn(topology.self())) {
        open(region);
      }
    }
  }

  /**
   * Opens one replica and adds it to the topology. Blocks; does not wait for other nodes.
   *
   * @throws IOException if its files cannot be used
   */
  LocalReplica open(RegionAssignment region) throws IOException {
    boolean isMetadata = region.id().equals(RegionAssignment.METADATA);
    RegionStore store =
        storage.region(region.id(), region.range(), isMetadata ? Keyspace.SYSTEM : Keyspace.DATA);
    List<Member> members =
        region.replicas().stream()
            .map(topology::find)
            .flatMap(Optional::stream)
            .map(ClusterNode::member)
            .toList();
    ConsensusGroup group =
        engine.open(
            new GroupSpec(
                topology.cluster().uuid(),
                region.id(),
                members,
                Optional.of(region.preferredLeader())),
            store);
    LocalReplica replica = new LocalReplica(region, group, store);
    registerGauges(replica);
    topology.host(replica);
    return replica;
  }

  private void registerGauges(LocalReplica region) {
    Map<String, String> tags = Map.of("region", region.assignment().id().toString());
    telemetry.gauge(
        "region.serving",
        "1 if this replica serves: it leads, or regions have no leaders",
        tags,
        () -> region.group().view().serving() ? 1 : 0);
    telemetry.gauge(
        "region.leader",
        "1 if this replica leads",
        tags,
        () -> region.group().view().leader().filter(topology.self()::equals).isPresent() ? 1 : 0);
    telemetry.gauge(
        "region.leader.known",
        "1 if this replica knows a leader",
        tags,
        () -> region.group().view().leader().isPresent() ? 1 : 0);
    telemetry.gauge(
        "region.replicas",
        "Replicas that the region is to have",
        tags,
        () -> region.assignment().replicas().size());
    telemetry.gauge(
        "region.committed.index",
        "Position up to which this replica knows the order to be agreed",
        tags,
        () -> region.group().view().committed().index());
    telemetry.gauge(
        "region.applied.index",
        "Position up to which this replica has applied",
        tags,
        () -> region.store().applied().index());
    telemetry.gauge(
        "region.durable.index",
        "Position up to which RocksDB has the state on disk",
        tags,
        () -> region.store().durable().index());
  }
}
