package io.quorate.storage;

import io.quorate.consensus.CommittedBatch;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.Telemetry;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/** Measures how one region applies. */
final class ApplyMetrics {
  private static final long COMMANDS_TOLD_APART = 65_536;

  private final Telemetry.Counter batches;
  private final Telemetry.Counter commands;
  private final Telemetry.Counter answeredAtCommit;
  private final Telemetry.Distribution commandsPerWrite;

  ApplyMetrics(
      Telemetry telemetry,
      GroupId region,
      ApplyQueue queue,
      ReadableWaiters waiters,
      Overlay overlay,
      LongSupplier gap,
      IntSupplier sessions) {
    Map<String, String> tags = Map.of("region", region.toString());
    batches = telemetry.counter("storage.apply.batches", "Committed batches applied", tags);
    commands = telemetry.counter("storage.apply.commands", "Commands applied", tags);
    answeredAtCommit =
        telemetry.counter(
            "storage.replies.at-commit", "Responses sent before the command was applied", tags);
    commandsPerWrite =
        telemetry.distribution(
            "storage.apply.write.commands",
            "Commands that share a write to RocksDB",
            tags,
            COMMANDS_TOLD_APART);
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
        "storage.sessions", "Clients whose writes are remembered", tags, sessions::getAsInt);
  }

  /** Commands that have their answer before they are applied. */
  void answeredAtCommit(long count) {
    if (count > 0) {
      answeredAtCommit.add(count);
    }
  }

  /** Batches that went into one write. */
  void applied(List<CommittedBatch> applied) {
    long count = 0;
    for (CommittedBatch batch : applied) {
      count += batch.commands().size();
    }
    batches.add(applied.size());
    commands.add(count);
    commandsPerWrite.record(count);
  }
}
