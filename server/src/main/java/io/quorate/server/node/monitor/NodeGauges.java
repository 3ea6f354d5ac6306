package io.quorate.server.node.monitor;

import io.quorate.consensus.MetricsSink;
import io.quorate.server.rpc.ServingState;
import io.quorate.server.topology.ClusterTopology;
import java.util.Map;
import java.util.function.DoubleSupplier;

/** The gauges of a node as a whole, by which alerts name it. Any thread. */
public final class NodeGauges {
  private final MetricsSink telemetry;

  private NodeGauges(MetricsSink telemetry) {
    this.telemetry = telemetry;
  }

  public static void register(
      MetricsSink telemetry,
      ClusterTopology topology,
      ServingState servingState,
      NodeHealth health,
      LostReplicas lost) {
    NodeGauges gauges = new NodeGauges(telemetry);
    gauges.gauge(
        "health.problems",
        "Problems that /health reports; 0 if the node is healthy",
        () -> health.get().problems().size());
    gauges.gauge(
        "writes.refused",
        "1 while the node refuses writes, otherwise 0",
        () -> servingState.writeRefusal().isPresent() ? 1 : 0);
    gauges.gauge(
        "replicas.lost",
        "Replicas that are assigned to the node and lost",
        () -> lost.reported().size());
    gauges.gauge(
        "cluster.regions",
        "Regions with keys in the topology that the node has received",
        () ->
            topology
                .stored()
                .map(stored -> (double) stored.regions().regions().size())
                .orElse(Double.NaN));
  }

  private void gauge(String name, String help, DoubleSupplier value) {
    telemetry.gauge(name, help, Map.of(), value);
  }
}
