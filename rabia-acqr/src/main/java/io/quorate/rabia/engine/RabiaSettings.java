package io.quorate.rabia.engine;

import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.SettingException;
import io.quorate.rabia.core.Settings;
import io.quorate.replication.log.SharedLogSettings;
import io.quorate.replication.quorum.QuorumBounds;
import io.quorate.replication.transport.TransportSettings;
import java.time.Duration;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The settings of the Rabia engine, with their defaults and bounds.
 *
 * @param core settings of the protocol
 * @param log settings of the log of the node
 * @param transport settings of the transport
 * @param commands those that clients propose
 * @param peers what other replicas send and are asked
 * @param reads linearizable reads
 * @param catchUp how replicas that are behind catch up
 * @param node shared by the replicas of the node
 */
record RabiaSettings(
    Settings core,
    SharedLogSettings log,
    TransportSettings transport,
    Commands commands,
    Peers peers,
    Reads reads,
    CatchUp catchUp,
    Node node) {

  /**
   * Bounds on commands.
   *
   * @param bytesMax maximum size of a command
   * @param queuedMax maximum number of commands of a region that wait for a batch
   * @param queuedBytesMax maximum bytes of these commands
   */
  record Commands(int bytesMax, int queuedMax, long queuedBytesMax) {}

  /**
   * Bounds on the exchange with other replicas.
   *
   * @param requestTimeout how long a request to a peer waits for its response
   * @param inboxMessagesMax maximum number of messages of other replicas that wait for a region's
   *     replica
   * @param inboxBytesMax maximum bytes of these messages
   */
  record Peers(Duration requestTimeout, int inboxMessagesMax, long inboxBytesMax) {}

  /**
   * The settings of reads.
   *
   * @param timeout how long a read waits for a quorum, or until consensus has ordered it
   * @param hedge delay after which a quorum read is sent to the replicas that it spared at first
   * @param pendingMax maximum number of quorum reads of a region without a result
   * @param pendingBytesMax maximum bytes of the keys of these reads
   */
  record Reads(Duration timeout, Duration hedge, int pendingMax, long pendingBytesMax) {
    /** Reads wait for a quorum until they time out: there is no leader to fall back to. */
    QuorumBounds quorumBounds() {
      return new QuorumBounds(
          "rabia", timeout, hedge, timeout, READ_ROUNDS, pendingMax, pendingBytesMax);
    }
  }

  /**
   * What is kept for replicas that are behind, and how snapshots are sent.
   *
   * @param stateInterval how often the durable position of the state machine is read, so that the
   *     log can be truncated
   * @param logRetainedBytesMax maximum length of a region's log, in bytes, up to which it is
   *     retained
   * @param joinTimeout how long a new member may take to catch up before the change fails
   * @param chunkBytes how many bytes of a snapshot one message carries
   * @param idleTimeout a snapshot is dropped if no chunk of it is requested for this long
   */
  record CatchUp(
      Duration stateInterval,
      long logRetainedBytesMax,
      Duration joinTimeout,
      int chunkBytes,
      Duration idleTimeout) {}

  /**
   * What the replicas of a node share.
   *
   * @param freeSpaceReserveBytes free disk space below which replicas process no messages
   * @param threads number of threads that run them
   */
  record Node(long freeSpaceReserveBytes, int threads) {}

  /**
   * Equal at all replicas of a group for ever (S2), and therefore no setting: two nodes with
   * different values would disagree about the members that decide a slot.
   */
  private static final int ALPHA = 1024;

  /** The maximum overhead of a batch, and of a message with one, beside the commands. */
  private static final int ENVELOPE_BYTES = 64 << 10;

  private static final int READ_ROUNDS = 4;
  private static final long KIB = 1 << 10;
  private static final long MIB = 1 << 20;
  private static final long LOG_SEGMENT_BYTES_MAX = 256 * MIB;

  private static final String CHOOSER = "chooser";

  private static final Set<String> ENGINE_KEYS =
      Set.of(
          CHOOSER,
          "command-size-max",
          "batch-size-max",
          "batch-commands-max",
          "batches-in-flight-max",
          "batches-in-flight-size-max",
          "queue-commands-max",
          "queue-size-max",
          "inbox-messages-max",
          "inbox-size-max",
          "bodies-size-max",
          "state-hold-min",
          "state-hold-max",
          "content-wait",
          "suspicion",
          "retransmission",
          "status-interval",
          "slots-retained",
          "slots-retained-size-max",
          "segment-size",
          "log-retained-size-max",
          "join-timeout",
          "free-space-reserve",
          "request-timeout",
          "read-timeout",
          "read-hedge",
          "quorum-reads-max",
          "quorum-reads-size-max",
          "state-interval",
          "snapshot-chunk-size",
          "snapshot-idle-timeout",
          "threads");

  static RabiaSettings from(EngineSettings settings) {
    Set<String> known = new HashSet<>(ENGINE_KEYS);
    known.addAll(TransportSettings.REQUEST_KEYS);
    known.addAll(TransportSettings.MESSAGE_KEYS);
    settings.requireKnown(known);
    Duration minute = Duration.ofMinutes(1);
    TransportSettings transport = TransportSettings.from(settings);
    int command =
        (int) settings.bytes("command-size-max", 4 * MIB + 256 * KIB, 64 * KIB, 160 * MIB);
    if (command + ENVELOPE_BYTES > transport.frameBytesMax()) {
      throw new SettingException(
          "Setting rabia.frame-size-max is at least 64KiB more than rabia.command-size-max; they"
              + " were "
              + transport.frameBytesMax()
              + "B and "
              + command
              + "B.");
    }
    CatchUp catchUp = catchUp(settings, transport);
    return new RabiaSettings(
        core(settings, transport),
        // Other replicas read what was written when they are behind, and then from files.
        SharedLogSettings.from(settings, 0, catchUp.logRetainedBytesMax()),
        transport,
        new Commands(
            command,
            settings.integer("queue-commands-max", 16_384, 1, 1_000_000),
            settings.bytes("queue-size-max", 64 * MIB, 64 * KIB, 4096 * MIB)),
        new Peers(
            settings.duration(
                "request-timeout", minute, Duration.ofMillis(1), minute.multipliedBy(60)),
            settings.integer("inbox-messages-max", 131_072, 1024, 10_000_000),
            settings.bytes("inbox-size-max", 128 * MIB, MIB, 4096 * MIB)),
        new Reads(
            settings.duration("read-timeout", Duration.ofSeconds(2), Duration.ofMillis(10), minute),
            settings.duration("read-hedge", Duration.ofMillis(10), Duration.ofNanos(1000), minute),
            settings.integer("quorum-reads-max", 65_536, 1, 10_000_000),
            settings.bytes("quorum-reads-size-max", 64 * MIB, 64 * KIB, 4096 * MIB)),
        catchUp,
        new Node(
            settings.bytes("free-space-reserve", 64 * MIB, 0, Long.MAX_VALUE / 2),
            settings.integer("threads", 2, 1, 64)));
  }

  private static CatchUp catchUp(EngineSettings settings, TransportSettings transport) {
    Duration minute = Duration.ofMinutes(1);
    int halfFrame = transport.frameBytesMax() / 2;
    return new CatchUp(
        settings.duration("state-interval", Duration.ofSeconds(1), Duration.ofMillis(10), minute),
        settings.bytes("log-retained-size-max", 256 * MIB, 0, 1024 * 1024 * MIB),
        settings.duration(
            "join-timeout",
            minute.multipliedBy(10),
            Duration.ofMillis(10),
            minute.multipliedBy(1440)),
        (int) settings.bytes("snapshot-chunk-size", Math.min(MIB, halfFrame), 4 * KIB, halfFrame),
        settings.duration(
            "snapshot-idle-timeout", minute, Duration.ofSeconds(1), minute.multipliedBy(60)));
  }

  private static Settings core(EngineSettings settings, TransportSettings transport) {
    Settings.Timing timing = Settings.Timing.DEFAULT;
    Settings.Bounds bounds = Settings.Bounds.DEFAULT;
    int batch =
        (int)
            settings.bytes(
                "batch-size-max",
                bounds.batchBytes(),
                KIB,
                transport.frameBytesMax() - ENVELOPE_BYTES);
    return new Settings(
        policy(settings),
        ALPHA,
        new Settings.Timing(
            nanos(settings, "state-hold-min", timing.stateHoldMin()),
            nanos(settings, "state-hold-max", timing.stateHoldMax()),
            nanos(settings, "content-wait", timing.contentWait()),
            nanos(settings, "suspicion", timing.suspicion()),
            nanos(settings, "retransmission", timing.retransmission()),
            nanos(settings, "status-interval", timing.status())),
        bounds.toBuilder()
            .inFlight(settings.integer("batches-in-flight-max", bounds.inFlight(), 1, 256))
            .inFlightBytes(
                settings.bytes(
                    "batches-in-flight-size-max", bounds.inFlightBytes(), KIB, 1024 * MIB))
            .batchCommands(
                settings.integer("batch-commands-max", bounds.batchCommands(), 1, 100_000))
            .batchBytes(batch)
            .bodyBytes(settings.bytes("bodies-size-max", bounds.bodyBytes(), MIB, 16_384 * MIB))
            .tailSlots(settings.integer("slots-retained", bounds.tailSlots(), 0, 10_000_000))
            .tailBytes(
                settings.bytes("slots-retained-size-max", bounds.tailBytes(), 0, 16_384 * MIB))
            .build());
  }

  /**
   * The settings that must not change while there is a log: a replica would contradict the SKIPs,
   * or the PROPOSALs, that it sent for undecided slots.
   */
  Map<String, String> lastingSettings() {
    return Map.of(CHOOSER, core.policy().name().toLowerCase(Locale.ROOT));
  }

  private static Settings.Policy policy(EngineSettings settings) {
    return settings.choice(CHOOSER, Settings.Policy.OWNED);
  }

  private static long nanos(EngineSettings settings, String key, long defaultNanos) {
    return settings
        .duration(
            key, Duration.ofNanos(defaultNanos), Duration.ofNanos(1000), Duration.ofMinutes(1))
        .toNanos();
  }
}
