package io.quorate.server.node;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.NodeToNode;
import io.quorate.client.cluster.NodeAddress;
import io.quorate.consensus.ConsensusEngine;
import io.quorate.consensus.MetricsSink;
import io.quorate.server.config.StorageConfig;
import io.quorate.server.digest.DigestSchedule;
import io.quorate.server.digest.ReplicaComparison;
import io.quorate.server.digest.UndecidedDifferences;
import io.quorate.server.node.bodies.BodyCensus;
import io.quorate.server.node.bodies.BodyCopier;
import io.quorate.server.node.bodies.BodyRepair;
import io.quorate.server.node.directory.ReplicaRecords;
import io.quorate.server.node.monitor.Housekeeping;
import io.quorate.server.node.monitor.RegionSizes;
import io.quorate.server.node.monitor.ReplicaGauges;
import io.quorate.server.node.replicas.RegionPlans;
import io.quorate.server.node.replicas.ReplicaManager;
import io.quorate.server.node.replicas.SplitProposals;
import io.quorate.server.rpc.ServingState;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.storage.Storage;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * What a node does with its replicas: opens and removes them, carries out plans for their regions,
 * compares them with those of other nodes, transfers their leaderships, ends their old sessions,
 * restores their bodies, and proposes where to split. By threads of its own, except what is called.
 */
final class NodeReplicas {
  private final NodeContext node;
  private final RegionSizes sizes;
  private final ReplicaManager manager;
  private final RegionPlans plans;
  private final ReplicaComparison comparison;
  private final UndecidedDifferences differences;
  private final SplitProposals splits;
  private final BodyCensus bodies = new BodyCensus();
  private final Optional<BodyRepair> repair;

  /**
   * @param wake requests that the topology is followed without delay
   */
  NodeReplicas(
      NodeContext node,
      Storage storage,
      ConsensusEngine engine,
      ReplicaRecords records,
      NodeMonitor monitor,
      Wake wake) {
    StorageConfig config = node.config().storage();
    ClusterTopology topology = node.topology();
    AsyncQuorateClient client = node.client();
    MetricsSink telemetry = node.telemetry();
    this.node = node;
    this.sizes = monitor.sizes();
    this.differences = monitor.differences();
    this.plans =
        new RegionPlans(
            topology,
            storage
                .bodies()
                .map(stored -> node.keep(new BodyCopier(config.bodies().repairBytesPerSecond()))),
            (to, region) ->
                NodeToNode.replicaEpoch(
                    client, to.id(), new NodeAddress(to.host(), to.clientPort()), region),
            (region, epoch) -> NodeToNode.confirmPlan(client, region, epoch));
    this.splits =
        new SplitProposals(topology, sizes, node.config().placement().splits(), System::nanoTime);
    this.manager =
        new ReplicaManager(
            storage,
            engine,
            topology,
            records,
            monitor.lost(),
            new ReplicaGauges(topology, node.servingState(), monitor.lag(), telemetry),
            wake::raise,
            telemetry);
    this.comparison =
        new ReplicaComparison(
            topology, client, manager::differs, monitor.differences(), System::nanoTime, telemetry);
    this.repair =
        storage
            .bodies()
            .map(
                stored ->
                    node.keep(
                        new BodyRepair(topology, stored, bodies, config.bodies(), telemetry)));
  }

  /** Opens and removes the replicas; used by one thread. */
  ReplicaManager manager() {
    return manager;
  }

  /** Carries out what is planned for the regions. */
  RegionPlans plans() {
    return plans;
  }

  /** What the replicas report to clients that request the status of the node. */
  NodeStatusReport.Replicas reports() {
    return new NodeStatusReport.Replicas(
        bodies, plans::confirmed, plans::problem, differences::of, splits);
  }

  /**
   * Starts what is repeated for as long as the node runs. Does not block.
   *
   * @param directory the data directory
   * @param isFounding whether the node had not received the topology before this start
   * @param writable the nodes that may receive leaderships
   */
  void start(Path directory, BooleanSupplier isFounding, WritableNodes writable) {
    StorageConfig config = node.config().storage();
    ClusterTopology topology = node.topology();
    ServingState servingState = node.servingState();
    node.keep(new Housekeeping("quorate-session-expiry"))
        .everyMinute(
            new SessionExpiry(topology, config.sessionExpiry(), directory, System::nanoTime));
    Housekeeping leaderships = node.keep(new Housekeeping("quorate-hand-over"));
    leaderships.everySecond(
        new InitialLeaderBalancer(
            topology, servingState, target -> writable.known().contains(target), System::nanoTime));
    leaderships.every(
        LeadershipHandover.INTERVAL,
        new LeadershipHandover(
            topology, servingState, isFounding, writable::known, System::nanoTime));
    Housekeeping digests = node.keep(new Housekeeping("quorate-digests"));
    digests.everySecond(
        new DigestSchedule(
            topology, node.client(), config.checks().digestInterval(), System::nanoTime));
    digests.everySecond(comparison);
    Housekeeping estimates = node.keep(new Housekeeping("quorate-estimates"));
    estimates.everySecond(sizes);
    estimates.everySecond(splits);
  }

  /** Begins to restore bodies, if values may be bodies. To be called once the node serves. */
  void startRepair() {
    repair.ifPresent(BodyRepair::start);
  }
}
