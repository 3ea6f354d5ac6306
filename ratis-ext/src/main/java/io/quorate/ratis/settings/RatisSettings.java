package io.quorate.ratis.settings;

import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.SettingException;
import io.quorate.replication.coded.CodedSettings;
import io.quorate.replication.log.SharedLogSettings;
import io.quorate.replication.quorum.QuorumBounds;
import io.quorate.replication.transport.TransportSettings;
import java.time.Duration;
import java.util.HashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * The settings of the Raft engine, with their defaults and bounds.
 *
 * @param transport settings of the transport between nodes
 * @param coded used if the node has bodies
 */
public record RatisSettings(
    TransportSettings transport,
    Elections elections,
    Proposals proposals,
    Reads reads,
    Log log,
    Snapshots snapshots,
    Hibernation hibernation,
    CodedSettings coded) {

  /** Entries that are not sent or applied are read again, so they are kept as long as possible. */
  private static final long LOG_MEMORY_BYTES = 96L << 20;

  private static final Set<String> ENGINE_KEYS =
      Set.of(
          "election-timeout-min",
          "election-timeout-max",
          "first-election-timeout-min",
          "first-election-timeout-max",
          "disk-stall-timeout",
          "entry-size-max",
          "batch-size-max",
          "batch-commands-max",
          "entries-in-flight-max",
          "queue-commands-max",
          "queue-size-max",
          "confirm-timeout",
          "read-timeout",
          "read-hedge",
          "quorum-patience",
          "quorum-reads-max",
          "quorum-reads-size-max",
          "lease",
          "lease-drift",
          "segment-size",
          "log-retained-size-max",
          "appends-in-flight-max",
          "unapplied-entries-max",
          "unapplied-size-max",
          "log-retained-entries",
          "log-retained-for-slow-entries",
          "purge-interval",
          "snapshot-chunk-size",
          "snapshot-idle-timeout",
          "hibernate-after",
          "groups-running-min",
          "groups-running-max");

  /** A small number, because a message costs much more than a further read in it. */
  private static final int READ_ROUNDS = 2;

  private static final long KIB = 1 << 10;
  private static final long MIB = 1 << 20;
  private static final Duration MINUTE = Duration.ofMinutes(1);

  /** Exceeds a round of reads, which has at most 1 MiB of keys or one read. */
  private static final long FRAME_BYTES_MIN = 2 * MIB;

  /** What a request with one entry has beside the entry, and more. */
  private static final int FRAMING_BYTES_MAX = 64 << 10;

  /**
   * When a leader counts as failed, and the leases that depend on it.
   *
   * @param timeoutMin a follower checks after a random time from this to the maximum whether it has
   *     received a message of the leader in that time, and starts an election if not: a failure of
   *     the leader is detected after at least this and less than twice the maximum. Heartbeats are
   *     sent at half of it.
   * @param firstTimeoutMin the same for the first election after a start
   * @param leaseDrift if present, leaders serve reads under a lease of the shortest election
   *     timeout less this much, which must exceed what clocks drift apart in that time. It must be
   *     the same at every node, because a voter that starts waits until the leases it may have
   *     granted before have expired.
   */
  public record Elections(
      Duration timeoutMin,
      Duration timeoutMax,
      Duration firstTimeoutMin,
      Duration firstTimeoutMax,
      Optional<Duration> leaseDrift) {
    private static final Duration SHORTEST = Duration.ofMillis(50);

    private static Elections from(EngineSettings settings) {
      Duration min =
          settings.duration("election-timeout-min", Duration.ofSeconds(1), SHORTEST, MINUTE);
      Duration max =
          settings.duration("election-timeout-max", Duration.ofSeconds(2), SHORTEST, MINUTE);
      requireOrder("election-timeout-min", min, "election-timeout-max", max);
      boolean lease = settings.bool("lease", false);
      Duration drift =
          settings.duration("lease-drift", min.dividedBy(5), Duration.ofMillis(1), MINUTE);
      if (lease && drift.compareTo(min.dividedBy(2)) > 0) {
        throw new SettingException(
            "Setting raft.lease-drift must be at most half of raft.election-timeout-min; it was "
                + drift.toMillis()
                + "ms of "
                + min.toMillis()
                + "ms.");
      }
      // A restarted voter has no record of the leases it granted, so it must wait until they have
      // expired.
      Duration firstMinDefault = lease ? min : Duration.ofMillis(300);
      Duration firstMaxDefault = lease ? max : Duration.ofMillis(800);
      Duration firstMin =
          settings.duration(
              "first-election-timeout-min", firstMinDefault, lease ? min : SHORTEST, MINUTE);
      Duration firstMax =
          settings.duration(
              "first-election-timeout-max", longer(firstMaxDefault, firstMin), SHORTEST, MINUTE);
      requireOrder("first-election-timeout-min", firstMin, "first-election-timeout-max", firstMax);
      return new Elections(
          min, max, firstMin, firstMax, lease ? Optional.of(drift) : Optional.empty());
    }
  }

  /**
   * How commands become entries.
   *
   * @param entryBytesMax maximum size of a log entry, and so of a command
   * @param batchBytesMax an entry is closed when its commands reach this many bytes
   * @param batchCommandsMax maximum number of commands in one entry
   * @param entriesInFlightMax maximum number of entries that are proposed and not yet committed;
   *     commands that arrive meanwhile wait and share the next entry
   * @param queueCommandsMax maximum number of commands of a group that wait for an entry
   * @param queueBytesMax maximum number of bytes of a group that wait for an entry; an empty queue
   *     accepts a command of any size
   */
  public record Proposals(
      int entryBytesMax,
      int batchBytesMax,
      int batchCommandsMax,
      int entriesInFlightMax,
      int queueCommandsMax,
      long queueBytesMax) {
    private static Proposals from(EngineSettings settings, int frameBytesMax) {
      int entryBytesMax =
          (int) settings.bytes("entry-size-max", 4 * MIB + 256 * KIB, 64 * KIB, 160 * MIB);
      if (frameBytesMax < entryBytesMax + FRAMING_BYTES_MAX) {
        throw new SettingException(
            String.format(
                Locale.ROOT,
                "Setting raft.frame-size-max is at least raft.entry-size-max and 64KiB, since a log entry is sent in one frame; they were %dB and %dB.",
                frameBytesMax,
                entryBytesMax));
      }
      return new Proposals(
          entryBytesMax,
          (int) settings.bytes("batch-size-max", MIB, KIB, 64 * MIB),
          settings.integer("batch-commands-max", 4096, 1, 100_000),
          settings.integer("entries-in-flight-max", 4, 1, 1024),
          settings.integer("queue-commands-max", 16_384, 1, 1_000_000),
          settings.bytes("queue-size-max", 64 * MIB, 64 * KIB, 4096 * MIB));
    }
  }

  /**
   * Reads that other replicas confirm.
   *
   * @param confirmTimeout how long a read waits for a majority to confirm the leader
   * @param quorum of quorum reads: how long one may take, after how long it sends requests to the
   *     replicas that received none at first and falls back to the leader, and how many of a region
   *     may be in flight
   */
  public record Reads(Duration confirmTimeout, QuorumBounds quorum) {
    private static Reads from(EngineSettings settings) {
      Duration timeout =
          settings.duration(
              "confirm-timeout", Duration.ofSeconds(2), Duration.ofMillis(10), MINUTE);
      return new Reads(
          timeout,
          new QuorumBounds(
              "raft",
              settings.duration(
                  "read-timeout", Duration.ofSeconds(2), Duration.ofMillis(10), MINUTE),
              settings.duration(
                  "read-hedge", Duration.ofMillis(10), Duration.ofNanos(1000), MINUTE),
              settings.duration(
                  "quorum-patience", Duration.ofMillis(250), Duration.ofMillis(1), MINUTE),
              READ_ROUNDS,
              settings.integer("quorum-reads-max", 65_536, 1, 10_000_000),
              settings.bytes("quorum-reads-size-max", 64 * MIB, 64 * KIB, 4096 * MIB)));
    }
  }

  /**
   * The log of a replica.
   *
   * @param diskStallTimeout how long an fsync of the log, or the entries that the state machine has
   *     to apply, may make no progress before a leader transfers its leadership to a follower
   * @param appendsInFlightMax maximum number of append requests to a follower in flight
   * @param unappliedEntriesMax a replica that has received this many entries which its state
   *     machine has not taken accepts no further ones
   * @param unappliedBytesMax the same in bytes; the requests in flight when it is reached may
   *     exceed it
   * @param retained what is kept behind the durable state
   * @param purgeInterval how often the log is purged
   * @param shared settings of the log of the node
   */
  public record Log(
      Duration diskStallTimeout,
      int appendsInFlightMax,
      int unappliedEntriesMax,
      long unappliedBytesMax,
      Retained retained,
      Duration purgeInterval,
      SharedLogSettings shared) {
    private static Log from(EngineSettings settings) {
      long retainedBytesMax =
          settings.bytes("log-retained-size-max", 256 * MIB, 0, 1024 * 1024 * MIB);
      return new Log(
          settings.duration(
              "disk-stall-timeout", Duration.ofSeconds(1), Elections.SHORTEST, MINUTE),
          settings.integer("appends-in-flight-max", 16, 1, 1024),
          settings.integer("unapplied-entries-max", 16_384, 2, 10_000_000),
          settings.bytes("unapplied-size-max", 256 * MIB, 64 * KIB, 64 * 1024 * MIB),
          new Retained(
              settings.integer("log-retained-entries", 4096, 0, 100_000_000),
              settings.integer("log-retained-for-slow-entries", 100_000, 0, 100_000_000),
              retainedBytesMax),
          settings.duration(
              "purge-interval", Duration.ofSeconds(10), Duration.ofMillis(50), MINUTE),
          SharedLogSettings.from(settings, LOG_MEMORY_BYTES, retainedBytesMax));
    }
  }

  /**
   * What is kept of a log behind the durable state.
   *
   * @param entries so many, so that a replica that was unreachable for a moment catches up from the
   *     log
   * @param entriesForSlow how far behind a connected replica may be before the log is purged
   *     regardless of it and it receives a snapshot
   * @param bytesMax the maximum length of these entries, whatever their number
   */
  public record Retained(int entries, int entriesForSlow, long bytesMax) {}

  /**
   * The transfer of snapshots.
   *
   * @param chunkBytes size of the part of a snapshot in one message
   * @param idleTimeout a snapshot of which no part was requested for this long is dropped by its
   *     sender; also how long the receiver waits for a response
   */
  public record Snapshots(int chunkBytes, Duration idleTimeout) {
    private static Snapshots from(EngineSettings settings, int frameBytesMax) {
      int max = frameBytesMax / 2;
      return new Snapshots(
          (int) settings.bytes("snapshot-chunk-size", Math.min(MIB, max), 4 * KIB, max),
          settings.duration(
              "snapshot-idle-timeout", MINUTE, Duration.ofSeconds(1), MINUTE.multipliedBy(60)));
    }
  }

  /**
   * Groups that are not in use.
   *
   * @param after how long a group is not in use before it hibernates
   * @param groupsRunningMin while this many groups run on a node, or fewer, none hibernates
   * @param groupsRunningMax no group starts while this many run
   */
  public record Hibernation(Duration after, int groupsRunningMin, int groupsRunningMax) {
    private static Hibernation from(EngineSettings settings) {
      return new Hibernation(
          settings.duration(
              "hibernate-after",
              MINUTE.multipliedBy(5),
              Duration.ofMillis(100),
              MINUTE.multipliedBy(24 * 60)),
          settings.integer("groups-running-min", 256, 0, 1_000_000),
          settings.integer("groups-running-max", 1024, 1, 1_000_000));
    }
  }

  public static RatisSettings from(EngineSettings settings) {
    Set<String> known = new HashSet<>(ENGINE_KEYS);
    known.addAll(TransportSettings.REQUEST_KEYS);
    known.addAll(CodedSettings.KEYS);
    settings.requireKnown(known);
    TransportSettings transport = TransportSettings.from(settings);
    if (transport.frameBytesMax() < FRAME_BYTES_MIN) {
      throw new SettingException(
          "Setting raft.frame-size-max is at least 2MiB, for the keys of a round of reads; it was "
              + transport.frameBytesMax()
              + "B.");
    }
    Elections elections = Elections.from(settings);
    Proposals proposals = Proposals.from(settings, transport.frameBytesMax());
    return new RatisSettings(
        transport,
        elections,
        proposals,
        Reads.from(settings),
        Log.from(settings),
        Snapshots.from(settings, transport.frameBytesMax()),
        Hibernation.from(settings),
        coded(settings, proposals.entryBytesMax()));
  }

  private static CodedSettings coded(EngineSettings settings, int entryBytesMax) {
    CodedSettings coded = CodedSettings.from(settings, entryBytesMax);
    if (coded.bodyBytesMin() > entryBytesMax / 2) {
      throw new SettingException(
          String.format(
              Locale.ROOT,
              "Setting raft.coded.min-value is at most half of raft.entry-size-max, %dB, since shorter values are in the log in full; it was %dB.",
              entryBytesMax / 2,
              coded.bodyBytesMin()));
    }
    return coded;
  }

  /** How long a follower may be silent before its leader considers it unreachable. */
  public Duration followerTimeout() {
    return elections.timeoutMax().multipliedBy(2);
  }

  /** How long a voter's lease grant lasts. */
  public Duration leaseGrant() {
    return elections.timeoutMin();
  }

  private static Duration longer(Duration a, Duration b) {
    return a.compareTo(b) >= 0 ? a : b;
  }

  private static void requireOrder(String minKey, Duration min, String maxKey, Duration max) {
    if (min.compareTo(max) >= 0) {
      throw new SettingException(
          "Setting raft."
              + minKey
              + " must be below raft."
              + maxKey
              + "; they were "
              + min.toMillis()
              + "ms and "
              + max.toMillis()
              + "ms.");
    }
  }
}
