package io.quorate.rabia.engine;

import io.quorate.consensus.MetricsSink;
import io.quorate.model.GroupId;
import io.quorate.rabia.core.Counters;
import io.quorate.replication.log.SharedLogCounters;
import java.util.Map;
import java.util.function.DoubleSupplier;
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

  /** Registers those of the log of the node, of all replicas together. */
  static void watch(MetricsSink telemetry, SharedLogCounters log) {
    count(telemetry, "rabia.log.records", "Records written to the log", log::records);
    count(telemetry, "rabia.log.written.bytes", "Bytes written to the log", log::bytes);
    count(telemetry, "rabia.log.syncs", "Fsyncs of the log", log::syncs);
    telemetry.counter(
        "rabia.log.sync.seconds",
        "Time spent in fsyncs of the log",
        Map.of(),
        () -> log.syncNanos() / NANOS_PER_SECOND);
    count(
        telemetry,
        "rabia.log.rewritten.bytes",
        "Bytes of records that were written again, so that old files can be deleted",
        log::rewrittenBytes);
    gauge(telemetry, "rabia.log.disk.bytes", "Length of the files of the log", log::bytesOnDisk);
    gauge(telemetry, "rabia.log.live.bytes", "Bytes of records that are needed", log::liveBytes);
    gauge(
        telemetry, "rabia.log.queue.records", "Records that wait for the disk", log::queuedRecords);
    gauge(
        telemetry,
        "rabia.log.queue.bytes",
        "Bytes of the records that wait for the disk",
        log::queuedBytes);
  }

  private static void count(MetricsSink telemetry, String name, String help, DoubleSupplier value) {
    telemetry.counter(name, help, Map.of(), value);
  }

  private static void gauge(MetricsSink telemetry, String name, String help, DoubleSupplier value) {
    telemetry.gauge(name, help, Map.of(), value);
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
