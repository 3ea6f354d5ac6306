package io.quorate.storage;

import io.quorate.consensus.CommittedBatch;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.Telemetry;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;

/** Measures how one region applies. */
final class ApplyMetrics {
  private static final long COMMANDS_TOLD_APART = 65_536;

  private final Telemetry.Counter batches;
  private final Telemetry.Counter commands;
  private final Telemetry.Distribution commandsPerWrite;

  ApplyMetrics(
      Telemetry telemetry,
      GroupId region,
      ApplyQueue queue,
      AppliedWaiters waiters,
      IntSupplier sessions) {
    Map<String, String> tags = Map.of("region", region.toString());
    batches = telemetry.counter("storage.apply.batches", tags);
    commands = telemetry.counter("storage.apply.commands", tags);
    commandsPerWrite =
        telemetry.distribution("storage.apply.write.commands", tags, COMMANDS_TOLD_APART);
    telemetry.gauge("storage.apply.queue.batches", tags, queue::batches);
    telemetry.gauge("storage.apply.queue.bytes", tags, queue::bytes);
    telemetry.gauge("storage.apply.waiters", tags, waiters::count);
    telemetry.gauge("storage.sessions", tags, sessions::getAsInt);
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
