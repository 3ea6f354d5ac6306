package io.quorate.rabia.engine;

import io.quorate.consensus.MetricsSink;
import io.quorate.model.GroupId;
import io.quorate.rabia.core.Counters;
import java.util.Map;
import java.util.function.ToLongFunction;

/** Registers the counters and gauges of one replica, and those of the log of its node. */
final class RabiaMetrics {
  private static final double NANOS_PER_SECOND = 1e9;

  private final MetricsSink telemetry;
  private final Map<String, String> tags;

  RabiaMetrics(MetricsSink telemetry, GroupId group) {
    this.telemetry = telemetry;
    this.tags = Map.of("region", group.toString());
  }

  void watch(Counters counters) {
    decided(counters, "unanimous-proposals", Counters::unanimousProposals);
    decided(counters, "unanimous-states", Counters::unanimousStates);
    decided(counters, "votes", Counters::votes);
    decided(counters, "skip", Counters::skips);
    decided(counters, "learned", Counters::learned);
    count("rabia.slots.null", "Slots without a batch", counters, Counters::nulls);
    count("rabia.batches", "Batches executed", counters, Counters::batches);
    count(
        "rabia.batches.repeated",
        "Batches that won a second slot and were passed over",
        counters,
        Counters::duplicates);
    count(
        "rabia.batches.reissued",
        "Own batches that lost their slot and were issued again",
        counters,
        Counters::nulledOwn);
    count("rabia.phases", "Rounds begun by a STATE", counters, Counters::phases);
    count(
        "rabia.abstentions",
        "Slots in which this replica proposed nothing",
        counters,
        Counters::abstentions);
    count("rabia.messages", "Messages sent, one for each receiver", counters, Counters::messages);
    count(
        "rabia.slots.repeated", "Slots whose messages were repeated", counters, Counters::repeated);
    count(
        "rabia.messages.ahead",
        "Messages dropped because this replica is too far behind",
        counters,
        Counters::beyondWindow);
    count(
        "rabia.messages.foreign",
        "Messages dropped because the sender has no part in the slot",
        counters,
        Counters::foreign);
    count(
        "rabia.messages.conflicting",
        "Messages that contradict what their sender sent before",
        counters,
        Counters::conflicts);
    count("rabia.bodies.dropped", "Batches that found no room", counters, Counters::bodiesDropped);
  }

  void watch(Proposals proposals, Mailbox inbox) {
    gauge(
        "rabia.queue.commands",
        "Commands that wait for a batch",
        proposals,
        Proposals::waitingCommands);
    gauge(
        "rabia.queue.bytes",
        "Bytes of the commands that wait for a batch",
        proposals,
        Proposals::waitingBytes);
    count(
        "rabia.queue.withdrawn",
        "Commands that were not proposed, because their clients had given up",
        proposals,
        Proposals::withdrawnCommands);
    count(
        "rabia.inbox.dropped",
        "Messages from other nodes that found no room",
        inbox,
        Mailbox::dropped);
  }

  private void decided(Counters counters, String path, ToLongFunction<Counters> value) {
    telemetry.counter(
        "rabia.slots.decided",
        "Slots, by how they were decided here",
        Map.of("region", tags.get("region"), "by", path),
        () -> value.applyAsLong(counters));
  }

  private <T> void count(String name, String help, T of, ToLongFunction<T> value) {
    telemetry.counter(name, help, tags, () -> value.applyAsLong(of));
  }

  private <T> void gauge(String name, String help, T of, ToLongFunction<T> value) {
    telemetry.gauge(name, help, tags, () -> value.applyAsLong(of));
  }
}
