package io.quorate.ratis;

import io.quorate.consensus.MetricsSink;
import io.quorate.model.GroupId;
import java.util.Map;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/** Metrics of the grouping of commands into log entries, and of the queue. */
final class ProposerMetrics {
  private final MetricsSink telemetry;
  private final Map<String, String> tags;
  private final MetricsSink.Distribution commands;
  private final MetricsSink.Distribution bytes;
  private final MetricsSink.Counter withdrawn;

  ProposerMetrics(MetricsSink telemetry, GroupId group) {
    this.telemetry = telemetry;
    this.tags = Map.of("region", group.toString());
    this.commands =
        telemetry.distribution(
            "raft.entry.commands", "Commands that share a log entry", Map.of(), 100_000);
    this.bytes =
        telemetry.distribution("raft.entry.bytes", "Bytes of a log entry", Map.of(), 64 << 20);
    this.withdrawn =
        telemetry.counter(
            "raft.queue.withdrawn",
            "Commands that were not proposed, because their clients had given up",
            tags);
  }

  void entry(int commandCount, int byteCount) {
    commands.record(commandCount);
    bytes.record(byteCount);
  }

  void withdrawn(int commandCount) {
    withdrawn.add(commandCount);
  }

  void watchQueue(IntSupplier queuedCommands, LongSupplier queuedBytes) {
    telemetry.gauge(
        "raft.queue.commands",
        "Commands that wait for a log entry",
        tags,
        queuedCommands::getAsInt);
    telemetry.gauge(
        "raft.queue.bytes",
        "Bytes of the commands that wait for a log entry",
        tags,
        queuedBytes::getAsLong);
  }
}
