package io.quorate.server.node;

import io.quorate.client.wire.v1.NodeStatus;
import io.quorate.client.wire.v1.ReadFigures;
import io.quorate.client.wire.v1.Replica;
import io.quorate.consensus.GroupView;
import io.quorate.consensus.NodeId;
import io.quorate.server.cluster.ClusterMap;
import io.quorate.server.cluster.HostedRegion;
import io.quorate.server.cluster.TopologyMessages;
import io.quorate.server.config.ServerConfig;
import io.quorate.server.door.ServiceGate;
import io.quorate.storage.ReadStatistics;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** This node's view of itself, for clients that ask. Any thread; does not block. */
final class StatusReport implements Supplier<NodeStatus> {
  private final ClusterMap map;
  private final ServiceGate gate;
  private final ServerConfig config;
  private final String version;
  private final long startedNanos = System.nanoTime();

  StatusReport(ClusterMap map, ServiceGate gate, ServerConfig config, String version) {
    this.map = map;
    this.gate = gate;
    this.config = config;
    this.version = version;
  }

  @Override
  public NodeStatus get() {
    NodeStatus.Builder status =
        NodeStatus.newBuilder()
            .setNode(TopologyMessages.of(map.selfAddress()))
            .setClusterId(map.cluster().value())
            .setServerVersion(version)
            .setPreset(config.presetName())
            .putAllSettings(config.knobs().texts())
            .setUptimeMs(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startedNanos))
            .setAcceptsWrites(gate.writeRefusal().isEmpty())
            .setRefusal(gate.writeRefusal().orElse(""))
            .setTopology(map.topology());
    map.hosted().forEach(region -> status.addReplicas(replica(region)));
    return status.build();
  }

  private static Replica replica(HostedRegion region) {
    GroupView view = region.group().view();
    Replica.Builder replica =
        Replica.newBuilder()
            .setRegion(region.descriptor().id().value())
            .setEpoch(region.descriptor().epoch().value())
            .setStart(TopologyMessages.bytes(region.descriptor().range().start()))
            .setLeader(view.leader().map(NodeId::value).orElse(""))
            .setServing(view.serving())
            .setConsensusEpoch(view.epoch())
            .setCommitted(view.committed().index())
            .setApplied(region.store().applied().index())
            .setDurable(region.store().durable().index())
            .setReads(reads(region.store().reads()));
    region.descriptor().range().end().ifPresent(end -> replica.setEnd(TopologyMessages.bytes(end)));
    region.descriptor().replicas().forEach(node -> replica.addReplicas(node.value()));
    return replica.build();
  }

  private static ReadFigures reads(ReadStatistics statistics) {
    ReadFigures.Builder reads =
        ReadFigures.newBuilder()
            .setReadIndex(statistics.readIndex())
            .setMerged(statistics.merged())
            .setImmediate(statistics.immediate())
            .setRelaxed(statistics.relaxed());
    statistics.rowNanos().ifPresent(reads::setRowNanos);
    statistics.applyNanos().ifPresent(reads::setApplyNanos);
    return reads.build();
  }
}
