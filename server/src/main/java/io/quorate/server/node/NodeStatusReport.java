package io.quorate.server.node;

import io.quorate.client.cluster.RegionEpoch;
import io.quorate.consensus.GroupStatus;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.protocol.operation.RegionDigest;
import io.quorate.protocol.tls.Tls;
import io.quorate.protocol.wire.v1.Digest;
import io.quorate.protocol.wire.v1.DigestPart;
import io.quorate.protocol.wire.v1.LostReplica;
import io.quorate.protocol.wire.v1.NodeStatus;
import io.quorate.protocol.wire.v1.ReadFigures;
import io.quorate.protocol.wire.v1.Replica;
import io.quorate.protocol.wire.v1.StatusRequest;
import io.quorate.server.access.NodeSecurity;
import io.quorate.server.config.ServerConfig;
import io.quorate.server.node.bodies.BodyCensus;
import io.quorate.server.node.join.JoinState;
import io.quorate.server.node.replicas.SplitProposals;
import io.quorate.server.placement.DecisionLog;
import io.quorate.server.rpc.ServingState;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.LocalReplica;
import io.quorate.server.topology.NodeEntry;
import io.quorate.server.topology.TopologyMessages;
import io.quorate.storage.read.ReadStatistics;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/** The status of this node, for clients that request it. Any thread; does not block. */
public final class NodeStatusReport implements Function<StatusRequest, NodeStatus> {
  /**
   * What the replicas of the node report. None of it blocks.
   *
   * @param bodies what was found of the bodies of each region
   * @param confirmed the epoch of the last plan for a region that this node carried out
   * @param planProblem why the node could not carry out what is planned for a region
   * @param differences how a replica differs from the others, the rest of a sentence about it
   * @param splits where regions are to be split
   */
  record Replicas(
      BodyCensus bodies,
      Function<GroupId, Optional<RegionEpoch>> confirmed,
      Function<GroupId, Optional<String>> planProblem,
      Function<GroupId, Optional<String>> differences,
      SplitProposals splits) {}

  /**
   * What parts of the node report. None of them blocks.
   *
   * @param joinState how far the node is in joining its cluster
   * @param placement what this node has decided about replicas and leaders
   */
  record Parts(
      NodeMonitor monitor,
      Replicas replicas,
      Supplier<JoinState> joinState,
      DecisionLog placement) {}

  private final NodeEntry self;
  private final ClusterTopology topology;
  private final ServingState servingState;
  private final ServerConfig config;
  private final Optional<Tls> certificate;
  private final String version;
  private final NodeMonitor monitor;
  private final Replicas replicas;
  private final Supplier<JoinState> joinState;
  private final DecisionLog placement;
  private final long startedNanos = System.nanoTime();

  /**
   * @param self how the node describes itself
   */
  NodeStatusReport(NodeEntry self, NodeContext node, String version, Parts parts) {
    this.self = self;
    this.topology = node.topology();
    this.servingState = node.servingState();
    this.config = node.config();
    this.certificate = node.security().map(NodeSecurity::tls);
    this.version = version;
    this.monitor = parts.monitor();
    this.replicas = parts.replicas();
    this.joinState = parts.joinState();
    this.placement = parts.placement();
  }

  @Override
  public NodeStatus apply(StatusRequest request) {
    NodeStatus.Builder status =
        NodeStatus.newBuilder()
            .setNode(TopologyMessages.of(self))
            .setClusterId(topology.cluster().value())
            .setServerVersion(version)
            .setPreset(config.presetName())
            .putAllSettings(config.mode().texts())
            .putSettings("security", config.security().text())
            .setUptimeMs(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startedNanos))
            .setAcceptsWrites(servingState.writeRefusal().isEmpty())
            .setRefusal(servingState.writeRefusal().orElse(""))
            .setDevice(monitor.device())
            .addAllStorageFailures(monitor.storageFailures())
            .setJoinState(
                switch (joinState.get()) {
                  case NEW -> NodeStatus.JoinState.NEW;
                  case FOUNDING -> NodeStatus.JoinState.FOUNDING;
                  case JOINED -> NodeStatus.JoinState.JOINED;
                });
    certificate.ifPresent(
        tls ->
            status
                .putSettings("tls", tls.provider().toString())
                .putSettings("certificate-expires", tls.expires().toString()));
    if (request.hasRegion()) {
      topology
          .hosted(new GroupId(request.getRegion()))
          .ifPresent(region -> status.addReplicas(replica(region, true)));
    } else if (request.getPositions()) {
      topology.hosted().forEach(region -> status.addReplicas(position(region)));
    } else if (!request.getSummary()) {
      placement.report().ifPresent(status::setPlacement);
      status.setTopology(topology.topology());
      topology.hosted().forEach(region -> status.addReplicas(replica(region, false)));
    }
    monitor
        .lost()
        .reported()
        .forEach(
            (region, epoch) ->
                status.addLostReplicas(
                    LostReplica.newBuilder()
                        .setRegion(region.value())
                        .setEpoch(epoch.value())
                        .setDamage(monitor.lost().damage(region))));
    if (request.getTraffic()) {
      status.addAllTraffic(monitor.traffic());
    }
    return status.build();
  }

  private static Replica position(LocalReplica region) {
    return Replica.newBuilder()
        .setRegion(region.assignment().id().value())
        .setEpoch(region.assignment().epoch().value())
        .setCommitted(region.group().view().committed().index())
        .build();
  }

  private Replica replica(LocalReplica region, boolean withParts) {
    // Before the view: placement stores the members that a replica reports with what it confirmed.
    Optional<RegionEpoch> confirmed = replicas.confirmed().apply(region.assignment().id());
    GroupStatus view = region.group().view();
    Replica.Builder replica =
        Replica.newBuilder()
            .setRegion(region.assignment().id().value())
            .setEpoch(region.assignment().epoch().value())
            .setStart(TopologyMessages.bytes(region.assignment().range().start()))
            .setLeader(view.leader().map(NodeId::value).orElse(""))
            .setServing(view.serving())
            .setHibernating(view.hibernating())
            .setConsensusEpoch(view.epoch())
            .setCommitted(view.committed().index())
            .setApplied(region.store().applied().index())
            .setDurable(region.store().durable().index())
            .setReads(reads(region.store().reads()))
            .setRowBytes(monitor.sizes().bytes(region.assignment().id()));
    SplitProposals splits = replicas.splits();
    splits.bySize(region).ifPresent(key -> replica.setSplitKey(TopologyMessages.bytes(key)));
    splits
        .byLoad(region.assignment().id())
        .ifPresent(key -> replica.setBusySplitKey(TopologyMessages.bytes(key)));
    if (config.placement().countsRequests()) {
      replica.setRequestRate(splits.requestRate(region.assignment().id()));
    }
    confirmed.ifPresent(epoch -> replica.setConfirmedEpoch(epoch.value()));
    replicas.planProblem().apply(region.assignment().id()).ifPresent(replica::setPlanProblem);
    replicas.bodies().figures(region.assignment().id()).ifPresent(replica::setBodies);
    region.assignment().range().end().ifPresent(end -> replica.setEnd(TopologyMessages.bytes(end)));
    region.assignment().replicas().forEach(node -> replica.addReplicas(node.value()));
    view.members().forEach(member -> replica.addMembers(member.node().value()));
    view.lost().forEach(node -> replica.addLostMembers(node.value()));
    view.problem()
        .or(() -> replicas.differences().apply(region.assignment().id()))
        .ifPresent(replica::setProblem);
    region.store().digest().ifPresent(digest -> replica.setDigest(message(digest, withParts)));
    monitor
        .lag()
        .reported(region.assignment().id())
        .ifPresent(time -> replica.setBehindMs(time.toMillis()));
    region.store().digestProgress().ifPresent(replica::setDigestProgress);
    return replica.build();
  }

  private static Digest message(RegionDigest digest, boolean withParts) {
    Digest.Builder message =
        Digest.newBuilder()
            .setEpoch(digest.position().epoch())
            .setIndex(digest.position().index())
            .setHash(digest.hash())
            .setSessions(digest.sessions());
    if (withParts) {
      digest.parts().forEach(part -> message.addParts(message(part)));
    }
    return message.build();
  }

  private static DigestPart message(RegionDigest.Part part) {
    return DigestPart.newBuilder()
        .setStart(TopologyMessages.bytes(part.start()))
        .setRows(part.rows())
        .setHash(part.hash())
        .build();
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
