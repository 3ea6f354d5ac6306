package io.quorate.rabia.engine;

import io.quorate.consensus.GroupId;
import io.quorate.consensus.Telemetry;
import io.quorate.rabia.core.Counters;
import io.quorate.rabia.log.LogCounters;
import java.util.Map;
import java.util.function.ToLongFunction;

/** What a replica has done since its start, as gauges. */
final class RabiaMetrics {
  private final Telemetry telemetry;
  private final Map<String, String> tags;

  RabiaMetrics(Telemetry telemetry, GroupId group) {
    this.telemetry = telemetry;
    this.tags = Map.of("region", group.toString());
  }

  void watch(Counters counters) {
    decided(counters, "unanimous-proposals", Counters::unanimousProposals);
    decided(counters, "unanimous-states", Counters::unanimousStates);
    decided(counters, "votes", Counters::votes);
    decided(counters, "skip", Counters::skips);
    decided(counters, "learned", Counters::learned);
    gauge("rabia.slots.null", counters, Counters::nulls);
    gauge("rabia.batches", counters, Counters::batches);
    gauge("rabia.batches.repeated", counters, Counters::duplicates);
    gauge("rabia.batches.reissued", counters, Counters::nulledOwn);
    gauge("rabia.phases", counters, Counters::phases);
    gauge("rabia.abstentions", counters, Counters::abstentions);
    gauge("rabia.messages", counters, Counters::messages);
    gauge("rabia.slots.repeated", counters, Counters::repeated);
    gauge("rabia.messages.ahead", counters, Counters::beyondWindow);
    gauge("rabia.messages.foreign", counters, Counters::foreign);
    gauge("rabia.messages.conflicting", counters, Counters::conflicts);
    gauge("rabia.bodies.dropped", counters, Counters::bodiesDropped);
  }

  void watch(LogCounters log) {
    gauge("rabia.log.records", log, LogCounters::records);
    gauge("rabia.log.written.bytes", log, LogCounters::bytes);
    gauge("rabia.log.syncs", log, LogCounters::syncs);
    gauge("rabia.log.sync.nanos", log, LogCounters::syncNanos);
    gauge("rabia.log.disk.bytes", log, LogCounters::bytesOnDisk);
    gauge("rabia.log.queue.records", log, LogCounters::queuedRecords);
    gauge("rabia.log.queue.bytes", log, LogCounters::queuedBytes);
  }

  void watch(Proposals proposals, Inbox inbox) {
    gauge("rabia.queue.commands", proposals, Proposals::waitingCommands);
    gauge("rabia.queue.bytes", proposals, Proposals::waitingBytes);
    gauge("rabia.inbox.dropped", inbox, Inbox::dropped);
  }

  private void decided(Counters counters, String how, ToLongFunction<Counters> value) {
    telemetry.gauge(
        "rabia.slots.decided",
        Map.of("region", tags.get("region"), "by", how),
        () -> value.applyAsLong(counters));
  }

  private <T> void gauge(String name, T of, ToLongFunction<T> value) {
    telemetry.gauge(name, tags, () -> value.applyAsLong(of));
  }
}
