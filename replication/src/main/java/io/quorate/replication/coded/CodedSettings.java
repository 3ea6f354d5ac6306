package io.quorate.replication.coded;

import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.SettingException;
import io.quorate.replication.coded.round.BodyQuorums;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The settings of coded replication, with their defaults and bounds: keys of the section {@code
 * raft} that begin with {@code coded}.
 *
 * @param bodyBytesMin values of this many bytes and more are to be proposed as bodies
 * @param dataFragments k, the number of fragments that restore a body; 0 for F + 1
 * @param copies when complete copies are sent
 * @param timeout how long a body may take to become durable at enough servers; also how long a node
 *     keeps an incomplete body of which nothing arrives
 * @param inFlight the bodies of all groups that are being replicated by this node, and also those
 *     received, and those read
 * @param chunkBytes size of the part of a body in one message
 * @param fetchTimeout how long a read waits for each response of another node
 * @param transferBytesPerSecondMin {@code timeout} is longer by the time that the body takes at
 *     this rate
 */
public record CodedSettings(
    int bodyBytesMin,
    int dataFragments,
    Copies copies,
    Duration timeout,
    InFlight inFlight,
    int chunkBytes,
    Duration fetchTimeout,
    long transferBytesPerSecondMin) {

  /**
   * When followers receive complete copies of a body.
   *
   * @param extra p, complete copies beyond the F that suffice, where copies are sent at once
   * @param after a follower that has not stored the body after this time, and after a multiple of
   *     the time that F others took, is late: complete copies are sent, and again each time it has
   *     passed. Where these others take longer than this time themselves, only a follower without
   *     any progress is late
   * @param enabled whether complete copies are sent at all. Without, a body needs F + k servers, as
   *     in plain Raft with Reed-Solomon codes (CRaft, section 2.4)
   */
  public record Copies(int extra, Duration after, boolean enabled) {}

  /**
   * A bound on bodies.
   *
   * @param max maximum number of bodies
   * @param bytesMax maximum bytes, with the parity of those that are replicated; a single body may
   *     have any size. Recoveries hold as much again
   */
  public record InFlight(int max, long bytesMax) {}

  /** The maximum number of servers of a group with bodies. */
  private static final int SERVERS_MAX = 7;

  /** The keys that are read from the section. */
  public static final Set<String> KEYS =
      Set.of(
          "coded.min-value",
          "coded.data-fragments",
          "coded.extra-copies",
          "coded.fallback-after",
          "coded.fallback",
          "coded.timeout",
          "coded.bodies-in-flight-max",
          "coded.bodies-in-flight-size-max",
          "coded.chunk-size",
          "coded.fetch-timeout",
          "coded.transfer-rate-min");

  private static final long KIB = 1 << 10;
  private static final long MIB = 1 << 20;
  private static final long GIB = 1 << 30;

  /**
   * @param settings the engine's section, which may contain other keys
   * @param entryBytesMax maximum bytes of an entry of the log. Only values of up to half of it are
   *     in the log in full by default
   * @throws SettingException if a value is out of its bounds
   */
  public static CodedSettings from(EngineSettings settings, int entryBytesMax) {
    long bodyBytesMinDefault = Math.min(256 * KIB, entryBytesMax / 2);
    Duration shortest = Duration.ofMillis(10);
    Duration minute = Duration.ofMinutes(1);
    int failuresMax = SERVERS_MAX / 2;
    return new CodedSettings(
        (int) settings.bytes("coded.min-value", bodyBytesMinDefault, KIB, GIB),
        settings.integer("coded.data-fragments", 0, 0, failuresMax + 1),
        new Copies(
            settings.integer("coded.extra-copies", 0, 0, failuresMax),
            settings.duration("coded.fallback-after", Duration.ofMillis(200), shortest, minute),
            settings.bool("coded.fallback", true)),
        settings.duration("coded.timeout", Duration.ofSeconds(5), shortest, minute),
        new InFlight(
            settings.integer("coded.bodies-in-flight-max", 256, 1, 65_536),
            settings.bytes("coded.bodies-in-flight-size-max", 128 * MIB, MIB, 64 * GIB)),
        (int) settings.bytes("coded.chunk-size", MIB, KIB, 64 * MIB),
        settings.duration("coded.fetch-timeout", Duration.ofSeconds(2), shortest, minute),
        settings.bytes("coded.transfer-rate-min", 4 * MIB, MIB, GIB));
  }

  /** How much longer than an empty body one of this length may take. */
  long transferNanos(int bytes) {
    return (long) ((double) bytes / transferBytesPerSecondMin * TimeUnit.SECONDS.toNanos(1));
  }

  /**
   * The time without progress after which a follower is late under load: it receives less than the
   * minimum rate, if all followers of a group of so many servers share it.
   */
  Duration stallTime(int servers) {
    return copies.after().plusNanos((servers - 1) * transferNanos(chunkBytes));
  }

  /**
   * Verifies that the settings fit a group of so many servers. While its members change, a group
   * may have an even number of servers, to which none need fit.
   *
   * @throws SettingException if they do not
   */
  void requireFit(int servers) {
    int failuresMax = servers / 2;
    if (servers >= 3
        && servers % 2 == 1
        && (dataFragments > failuresMax + 1 || copies.extra() > failuresMax)) {
      throw new SettingException(
          String.format(
              Locale.ROOT,
              "With %d servers, setting raft.coded.data-fragments is at most %d and raft.coded.extra-copies at"
                  + " most %d; they were %d and %d.",
              servers,
              failuresMax + 1,
              failuresMax,
              dataFragments,
              copies.extra()));
    }
  }

  /** The quorums of a group of so many servers, with as many data fragments as it can have. */
  BodyQuorums quorums(int servers) {
    int possible = (servers - 1) / 2 + 1;
    return new BodyQuorums(
        servers, dataFragments == 0 ? possible : Math.min(possible, dataFragments));
  }
}
