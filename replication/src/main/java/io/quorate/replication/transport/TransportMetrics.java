package io.quorate.replication.transport;

import io.quorate.consensus.MetricsSink;
import io.quorate.replication.transport.handshake.RefusalReason;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.DoubleSupplier;

/** Metrics of the transport. Any thread. */
final class TransportMetrics {

  /** Why a message was dropped. */
  enum Drop {
    /** There is no connection to the receiver. */
    NOT_CONNECTED,
    /** The queue of unsent messages to the receiver is full. */
    UNSENT_FULL,
    /** The connection was lost before the message was sent. */
    CONNECTION_LOST,
    /** The message does not fit a frame. */
    TOO_LONG,
    /** The message was received for a group that is not open here. */
    UNKNOWN_GROUP
  }

  private final MetricsSink telemetry;
  private final String prefix;
  private final MetricsSink.Counter messagesOut;
  private final MetricsSink.Counter bytesOut;
  private final MetricsSink.Counter messagesIn;
  private final MetricsSink.Counter bytesIn;
  private final MetricsSink.Counter requestsOut;
  private final MetricsSink.Counter requestsFailed;
  private final MetricsSink.Counter requestsIn;
  private final Map<Drop, MetricsSink.Counter> dropped = new EnumMap<>(Drop.class);
  private final Map<RefusalReason, MetricsSink.Counter> refused =
      new EnumMap<>(RefusalReason.class);

  /**
   * @param section the engine's section, with which the names begin
   */
  TransportMetrics(MetricsSink telemetry, String section) {
    this.telemetry = telemetry;
    this.prefix = section + ".transport.";
    messagesOut =
        telemetry.counter(prefix + "sent.messages", "Messages sent to other nodes", Map.of());
    bytesOut = telemetry.counter(prefix + "sent.bytes", "Bytes sent to other nodes", Map.of());
    messagesIn =
        telemetry.counter(prefix + "received.messages", "Messages from other nodes", Map.of());
    bytesIn = telemetry.counter(prefix + "received.bytes", "Bytes from other nodes", Map.of());
    requestsOut =
        telemetry.counter(prefix + "sent.requests", "Requests sent to other nodes", Map.of());
    requestsFailed =
        telemetry.counter(
            prefix + "failed.requests",
            "Requests to other nodes that were not sent, refused or without a response in time",
            Map.of());
    requestsIn =
        telemetry.counter(prefix + "received.requests", "Requests of other nodes", Map.of());
    for (Drop drop : Drop.values()) {
      dropped.put(
          drop,
          telemetry.counter(
              prefix + "dropped.messages",
              "Messages dropped, by reason",
              Map.of("reason", text(drop))));
    }
    for (RefusalReason reason : RefusalReason.values()) {
      refused.put(
          reason,
          telemetry.counter(
              prefix + "refused.connections",
              "Connections of nodes refused, by reason",
              Map.of("reason", text(reason))));
    }
  }

  /** Registers a gauge. */
  void watch(String name, String help, DoubleSupplier value) {
    telemetry.gauge(prefix + name, help, Map.of(), value);
  }

  void sent(int messages, long bytes) {
    messagesOut.add(messages);
    bytesOut.add(bytes);
  }

  void received(long bytes) {
    messagesIn.add(1);
    bytesIn.add(bytes);
  }

  /** Counts a request of this node. */
  void requestSent() {
    requestsOut.add(1);
  }

  /** Counts a request of this node that has no response, whatever the reason. */
  void requestFailed() {
    requestsFailed.add(1);
  }

  /** Counts a request of another node. */
  void requestReceived() {
    requestsIn.add(1);
  }

  void dropped(Drop reason, int messages) {
    dropped.get(reason).add(messages);
  }

  /** Counts a connection that this node has refused. */
  void refused(RefusalReason reason) {
    refused.get(reason).add(1);
  }

  private static String text(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
