package io.quorate.replication.coded;

import io.quorate.consensus.MetricsSink;
import io.quorate.model.GroupId;
import java.util.Map;

/** The metrics of the bodies of one replica. */
final class BodyMetrics {
  private final MetricsSink.Counter coded;
  private final MetricsSink.Counter complete;
  private final MetricsSink.Counter fallbacks;
  private final MetricsSink.Counter recoveries;
  private final MetricsSink.Counter corrupt;
  private final MetricsSink.Counter sentBytes;

  BodyMetrics(MetricsSink telemetry, GroupId group) {
    Map<String, String> tags = Map.of("region", group.toString());
    coded =
        telemetry.counter(
            "raft.bodies.coded", "Bodies that were proposed and sent as fragments only", tags);
    complete =
        telemetry.counter(
            "raft.bodies.complete", "Bodies that were proposed and sent as complete copies", tags);
    fallbacks =
        telemetry.counter(
            "raft.bodies.fallbacks",
            "Bodies of which complete copies were sent because fragments were not durable in time",
            tags);
    recoveries =
        telemetry.counter(
            "raft.bodies.recoveries", "Bodies restored from what other nodes hold", tags);
    corrupt =
        telemetry.counter(
            "raft.bodies.corrupt", "Fragments and copies that did not match their checksum", tags);
    sentBytes =
        telemetry.counter("raft.bodies.sent.bytes", "Bytes of bodies sent to followers", tags);
  }

  /** Records a body whose header is proposed. */
  void proposed(boolean sentComplete) {
    (sentComplete ? complete : coded).add(1);
  }

  void fallback() {
    fallbacks.add(1);
  }

  void recovery() {
    recoveries.add(1);
  }

  void corrupt() {
    corrupt.add(1);
  }

  void sent(int bytes) {
    sentBytes.add(bytes);
  }
}
