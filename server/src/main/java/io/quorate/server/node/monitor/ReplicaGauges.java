package io.quorate.server.node.monitor;

import io.quorate.consensus.MetricsSink;
import io.quorate.model.GroupId;
import io.quorate.server.rpc.ServingState;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.LocalReplica;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** The gauges of this node's replicas. Any thread. */
public final class ReplicaGauges {
  /** Has the region in the metrics of everything that belongs to one. */
  public static final String REGION_TAG = "region";

  private final ClusterTopology topology;
  private final ServingState servingState;
  private final ReplicaLag lag;
  private final MetricsSink telemetry;

  public ReplicaGauges(
      ClusterTopology topology, ServingState servingState, ReplicaLag lag, MetricsSink telemetry) {
    this.topology = topology;
    this.servingState = servingState;
    this.lag = lag;
    this.telemetry = telemetry;
  }

  /** Registers those of a replica. */
  public void register(GroupId region) {
    gauge(
        region,
        "region.serving",
        "1 if this replica serves: its node accepts writes, and it leads or regions have no leaders",
        replica ->
            replica.group().view().serving() && servingState.writeRefusal().isEmpty() ? 1 : 0);
    gauge(
        region,
        "region.leader",
        "1 if this replica leads",
        replica ->
            replica.group().view().leader().filter(topology.self()::equals).isPresent() ? 1 : 0);
    gauge(
        region,
        "region.leader.known",
        "1 if this replica knows a leader",
        replica -> replica.group().view().leader().isPresent() ? 1 : 0);
    gauge(
        region,
        "region.hibernating",
        "1 if this replica has stopped because its region is not in use",
        replica -> replica.group().view().hibernating() ? 1 : 0);
    gauge(
        region,
        "region.replicas",
        "Replicas that the region is to have",
        replica -> replica.assignment().replicas().size());
    gauge(
        region,
        "region.committed.index",
        "Position up to which this replica knows the order to be agreed",
        replica -> replica.group().view().committed().index());
    gauge(
        region,
        "region.applied.index",
        "Position up to which this replica has applied",
        replica -> replica.store().applied().index());
    gauge(
        region,
        "region.durable.index",
        "Position up to which RocksDB has the state on disk",
        replica -> replica.store().durable().index());
    gauge(
        region,
        "region.behind.seconds",
        "Time since the first position was committed, here or elsewhere, that is not applied here",
        replica -> lag.of(region).toMillis() / 1000.0);
  }

  /** Not a number while this node has no replica of the region. */
  private void gauge(
      GroupId region, String name, String help, ToDoubleFunction<LocalReplica> value) {
    telemetry.gauge(
        name,
        help,
        Map.of(REGION_TAG, region.toString()),
        () -> topology.hosted(region).map(value::applyAsDouble).orElse(Double.NaN));
  }
}
