package io.quorate.server.node;

import io.quorate.consensus.ConsensusEngine;
import io.quorate.consensus.ConsensusGroup;
import io.quorate.consensus.GroupSpec;
import io.quorate.consensus.Member;
import io.quorate.consensus.Telemetry;
import io.quorate.server.cluster.ClusterMap;
import io.quorate.server.cluster.HostedRegion;
import io.quorate.server.config.NodeAddress;
import io.quorate.server.region.RegionDescriptor;
import io.quorate.server.region.RegionTable;
import io.quorate.storage.Keyspace;
import io.quorate.storage.RegionStore;
import io.quorate.storage.Storage;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Opens this node's replicas. One thread. */
final class RegionHosting {
  private final Storage storage;
  private final ConsensusEngine engine;
  private final ClusterMap map;
  private final Telemetry telemetry;

  RegionHosting(Storage storage, ConsensusEngine engine, ClusterMap map, Telemetry telemetry) {
    this.storage = storage;
    this.engine = engine;
    this.map = map;
    this.telemetry = telemetry;
  }

  /** Opens every replica of the table that is on this node. Blocks. */
  void openAll(RegionTable table) throws IOException {
    for (RegionDescriptor region : table.regions()) {
      if (region.isOn(map.self())) {
        open(region);
      }
    }
  }

  /**
   * Opens one replica and adds it to the map. Blocks; does not wait for other nodes.
   *
   * @throws IOException if its files cannot be used
   */
  HostedRegion open(RegionDescriptor region) throws IOException {
    boolean isMetadata = region.id().equals(RegionDescriptor.METADATA);
    RegionStore store =
        storage.region(region.id(), region.range(), isMetadata ? Keyspace.SYSTEM : Keyspace.DATA);
    List<Member> members =
        region.replicas().stream()
            .map(map::find)
            .flatMap(Optional::stream)
            .map(NodeAddress::member)
            .toList();
    ConsensusGroup group =
        engine.open(
            new GroupSpec(
                map.cluster().uuid(), region.id(), members, Optional.of(region.preferredLeader())),
            store);
    HostedRegion hosted = new HostedRegion(region, group, store);
    measure(hosted);
    map.host(hosted);
    return hosted;
  }

  private void measure(HostedRegion region) {
    Map<String, String> tags = Map.of("region", region.descriptor().id().toString());
    telemetry.gauge(
        "region.serving",
        "1 if this replica serves: it leads, or regions have no leaders",
        tags,
        () -> region.group().view().serving() ? 1 : 0);
    telemetry.gauge(
        "region.leader",
        "1 if this replica leads",
        tags,
        () -> region.group().view().leader().filter(map.self()::equals).isPresent() ? 1 : 0);
    telemetry.gauge(
        "region.leader.known",
        "1 if this replica knows a leader",
        tags,
        () -> region.group().view().leader().isPresent() ? 1 : 0);
    telemetry.gauge(
        "region.replicas",
        "Replicas that the region is to have",
        tags,
        () -> region.descriptor().replicas().size());
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
