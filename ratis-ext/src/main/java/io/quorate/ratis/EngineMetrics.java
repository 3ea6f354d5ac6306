package io.quorate.ratis;

import io.quorate.consensus.MetricsSink;
import io.quorate.ratis.health.DiskHealth;
import io.quorate.ratis.heartbeat.HeartbeatSender;
import io.quorate.ratis.hibernation.Hibernator;
import java.util.Map;

/** Metrics of the engine of a node. */
final class EngineMetrics {
  private EngineMetrics() {}

  /** Registers them for as long as the sink exists. */
  static void register(
      MetricsSink telemetry, HeartbeatSender heartbeats, DiskHealth health, Hibernator hibernator) {
    telemetry.counter(
        "raft.heartbeats.shared",
        "Heartbeats of groups that were sent and acknowledged together with those of others",
        Map.of(),
        heartbeats::shared);
    telemetry.gauge(
        "raft.disk.stalled",
        "1 while nothing written to the logs gets to the disk",
        Map.of(),
        () -> health.isLogResponsive() ? 0 : 1);
    telemetry.gauge(
        "raft.groups.running", "Groups that do not hibernate", Map.of(), hibernator::running);
    telemetry.counter(
        "raft.groups.woken", "Groups that hibernated and were used", Map.of(), hibernator::woken);
  }
}
