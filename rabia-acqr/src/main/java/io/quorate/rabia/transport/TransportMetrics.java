package io.quorate.rabia.transport;

import io.quorate.consensus.Telemetry;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/** Measurements of the transport. Any thread. */
final class TransportMetrics {

  /** Why a message was dropped. */
  enum Drop {
    /** There is no connection to the receiver. */
    NOT_CONNECTED,
    /** Too much to this receiver is unsent. */
    UNSENT_FULL,
    /** The connection was lost before it was sent. */
    CONNECTION_LOST,
    /** It does not fit a frame. */
    TOO_LONG,
    /** It came for a group that is not open here. */
    UNKNOWN_GROUP
  }

  private static final String PREFIX = "rabia.transport.";

  private final Telemetry.Counter messagesOut;
  private final Telemetry.Counter bytesOut;
  private final Telemetry.Counter messagesIn;
  private final Telemetry.Counter bytesIn;
  private final Map<Drop, Telemetry.Counter> dropped = new EnumMap<>(Drop.class);
  private final Map<RefusalReason, Telemetry.Counter> refused = new EnumMap<>(RefusalReason.class);

  TransportMetrics(Telemetry telemetry) {
    messagesOut =
        telemetry.counter(PREFIX + "sent.messages", "Messages sent to other nodes", Map.of());
    bytesOut = telemetry.counter(PREFIX + "sent.bytes", "Bytes sent to other nodes", Map.of());
    messagesIn =
        telemetry.counter(PREFIX + "received.messages", "Messages from other nodes", Map.of());
    bytesIn = telemetry.counter(PREFIX + "received.bytes", "Bytes from other nodes", Map.of());
    for (Drop drop : Drop.values()) {
      dropped.put(
          drop,
          telemetry.counter(
              PREFIX + "dropped.messages",
              "Messages dropped, by reason",
              Map.of("reason", text(drop))));
    }
    for (RefusalReason reason : RefusalReason.values()) {
      refused.put(
          reason,
          telemetry.counter(
              PREFIX + "refused.connections",
              "Connections of nodes refused, by reason",
              Map.of("reason", text(reason))));
    }
  }

  void sent(int messages, long bytes) {
    messagesOut.add(messages);
    bytesOut.add(bytes);
  }

  void received(long bytes) {
    messagesIn.add(1);
    bytesIn.add(bytes);
  }

  void dropped(Drop why, int messages) {
    dropped.get(why).add(messages);
  }

  /** This node has refused a connection. */
  void refused(RefusalReason reason) {
    refused.get(reason).add(1);
  }

  private static String text(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
