package io.quorate.replication.transport;

import io.quorate.common.Budget;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.SettingException;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;

/**
 * The settings of the transport, with their defaults and bounds.
 *
 * @param section the engine's section: names of settings, metrics and threads, and the first line
 *     of the identities file contain it
 * @param threads number of event loops
 * @param frameBytesMax maximum length of a frame; the largest batch must fit, and the value must be
 *     the same at every node
 * @param unsent the messages to one peer that wait to be sent; further ones are dropped
 * @param connections to and from other nodes
 * @param peersMax maximum number of peers whose identity is recorded
 * @param requests the requests of one class in flight to one peer, and from one peer
 * @param snapshotBytesPerSecond the rate at which this node receives snapshots, of all groups
 *     together
 */
public record TransportSettings(
    String section,
    int threads,
    int frameBytesMax,
    Unsent unsent,
    Connections connections,
    int peersMax,
    Requests requests,
    long snapshotBytesPerSecond) {

  /** A bound on messages that wait to be sent, in bytes and by count. */
  public record Unsent(long bytesMax, int messagesMax) {}

  /**
   * The settings of connections.
   *
   * @param max maximum number of accepted connections; further ones are refused
   * @param connectTimeout how long the connection attempt may take
   * @param handshakeTimeout how long the handshake may take, including the fsync of an identity
   * @param idleTimeout a connection on which nothing is received for this long is closed;
   *     keep-alives are sent at least three times as often
   * @param reconnectMin backoff after the first failed attempt; doubled with each further one
   * @param reconnectMax maximum backoff
   */
  public record Connections(
      int max,
      Duration connectTimeout,
      Duration handshakeTimeout,
      Duration idleTimeout,
      Duration reconnectMin,
      Duration reconnectMax) {}

  /**
   * A bound on requests in flight in one direction.
   *
   * @param inFlightMax maximum number of requests
   * @param bytesMax maximum bytes of requests, and of responses that are not sent
   */
  public record Requests(int inFlightMax, long bytesMax) {}

  /** The keys read from the section of an engine that sends only requests. */
  public static final Set<String> REQUEST_KEYS =
      Set.of(
          "transport-threads",
          "frame-size-max",
          "connect-timeout",
          "handshake-timeout",
          "reconnect-min",
          "reconnect-max",
          "idle-timeout",
          "connections-max",
          "peers-max",
          "requests-in-flight-max",
          "requests-size-max",
          "snapshot-rate");

  /** The further keys of an engine that also sends messages. */
  public static final Set<String> MESSAGE_KEYS = Set.of("unsent-size-max", "unsent-messages-max");

  private static final long KIB = 1 << 10;
  private static final long MIB = 1 << 20;

  /**
   * @param settings the engine's section, which may contain other keys
   * @throws SettingException if a value is out of range
   */
  public static TransportSettings from(EngineSettings settings) {
    String section = settings.section();
    long frame = settings.bytes("frame-size-max", 8 * MIB, 64 * KIB, 256 * MIB);
    return new TransportSettings(
        section,
        settings.integer("transport-threads", 2, 1, 64),
        (int) frame,
        new Unsent(
            settings.bytes("unsent-size-max", Math.max(64 * MIB, 2 * frame), 2 * frame, 4096 * MIB),
            settings.integer("unsent-messages-max", 100_000, 16, 10_000_000)),
        connections(settings),
        settings.integer("peers-max", 1024, 1, 4096),
        new Requests(
            settings.integer("requests-in-flight-max", 1024, 1, 65_536),
            settings.bytes("requests-size-max", Math.max(64 * MIB, 2 * frame), frame, 4096 * MIB)),
        settings.bytes("snapshot-rate", 64 * MIB, 64 * KIB, 64 * 1024 * MIB));
  }

  private static Connections connections(EngineSettings settings) {
    String section = settings.section();
    Duration shortest = Duration.ofMillis(1);
    Duration minute = Duration.ofMinutes(1);
    Duration reconnectMin =
        settings.duration("reconnect-min", Duration.ofMillis(20), shortest, minute);
    Duration reconnectMax =
        settings.duration("reconnect-max", Duration.ofSeconds(2), shortest, minute);
    if (reconnectMin.compareTo(reconnectMax) > 0) {
      throw new SettingException(
          "Setting "
              + section
              + ".reconnect-min is at most "
              + section
              + ".reconnect-max; they were "
              + reconnectMin.toMillis()
              + "ms and "
              + reconnectMax.toMillis()
              + "ms.");
    }
    return new Connections(
        settings.integer("connections-max", 256, 2, 65_536),
        settings.duration("connect-timeout", Duration.ofSeconds(2), shortest, minute),
        settings.duration("handshake-timeout", Duration.ofSeconds(5), shortest, minute),
        settings.duration("idle-timeout", Duration.ofSeconds(5), Duration.ofMillis(50), minute),
        reconnectMin,
        reconnectMax);
  }

  /** The full name of a setting, for messages. */
  String key(String name) {
    return section + "." + name;
  }

  /** The name of the engine, for messages: the section with a capital first letter. */
  String engineName() {
    return section.substring(0, 1).toUpperCase(Locale.ROOT) + section.substring(1);
  }

  String threadName(String task) {
    return "quorate-" + section + "-" + task;
  }

  /** The bound on the requests of a class to, or from, one peer, with nothing in flight. */
  Budget newRequestBudget() {
    return new Budget(requests.inFlightMax(), requests.bytesMax());
  }

  /**
   * A bound at half of that on the requests to one peer, for requests that must leave capacity for
   * others of their class; at least one.
   */
  public Budget newHalfRequestBudget() {
    return new Budget(Math.max(1, requests.inFlightMax() / 2), requests.bytesMax() / 2);
  }
}
