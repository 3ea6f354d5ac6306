package io.quorate.storage.apply;

import io.quorate.consensus.MetricsSink;
import io.quorate.model.GroupId;
import io.quorate.storage.read.Overlay;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/** Metrics of applying batches in one region. */
final class ApplyMetrics {
  private static final long COMMANDS_MAX = 65_536;
  private static final double NANOS_PER_SECOND = 1e9;

  private final MetricsSink.Counter batches;
  private final MetricsSink.Counter commands;
  private final MetricsSink.Counter repliedAtCommit;
  private final LongAdder waitedNanos = new LongAdder();
  private final MetricsSink.Distribution commandsPerWrite;

  ApplyMetrics(
      MetricsSink telemetry,
      GroupId region,
      ApplyQueue queue,
      AppliedWaiters waiters,
      Overlay overlay,
      LongSupplier gap,
      IntSupplier sessions) {
    Map<String, String> tags = Map.of("region", region.toString());
    batches = telemetry.counter("storage.apply.batches", "Committed batches applied", tags);
    commands = telemetry.counter("storage.apply.commands", "Commands applied", tags);
    telemetry.counter(
        "storage.apply.lag.seconds",
        "Time from the commit of a command to its apply, summed over the commands",
        tags,
        () -> waitedNanos.sum() / NANOS_PER_SECOND);
    repliedAtCommit =
        telemetry.counter(
            "storage.replies.at-commit", "Responses sent before the command was applied", tags);
    commandsPerWrite =
        telemetry.distribution(
            "storage.apply.write.commands",
            "Commands that share a write to RocksDB",
            Map.of(),
            COMMANDS_MAX);
    telemetry.gauge(
        "storage.apply.queue.batches",
        "Committed batches that wait to be applied",
        tags,
        queue::batches);
    telemetry.gauge(
        "storage.apply.queue.bytes",
        "Bytes of the batches that wait to be applied",
        tags,
        queue::bytes);
    telemetry.gauge(
        "storage.apply.waiters",
        "Reads that wait for a position to be applied",
        tags,
        waiters::count);
    telemetry.gauge(
        "storage.apply.gap.positions",
        "Positions committed here and not applied",
        tags,
        gap::getAsLong);
    telemetry.gauge(
        "storage.overlay.changes",
        "Changes that reads see before they are applied",
        tags,
        overlay::changes);
    telemetry.gauge(
        "storage.overlay.bytes",
        "Bytes of the changes that reads see before they are applied",
        tags,
        overlay::bytes);
    telemetry.gauge(
        "storage.sessions",
        "Clients whose writes are remembered, without those that were closed",
        tags,
        sessions::getAsInt);
  }

  /** Counts commands whose results were completed before they were applied. */
  void repliedAtCommit(long count) {
    if (count > 0) {
      repliedAtCommit.add(count);
    }
  }

  /**
   * Records the batches of one write.
   *
   * @param nanos time from their commit to now, summed over their commands
   */
  void applied(List<DecodedBatch> applied, long nanos) {
    long count = 0;
    for (DecodedBatch batch : applied) {
      count += batch.size();
    }
    waitedNanos.add(nanos);
    batches.add(applied.size());
    commands.add(count);
    commandsPerWrite.record(count);
  }
}
