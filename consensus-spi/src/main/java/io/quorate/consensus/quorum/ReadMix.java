package io.quorate.consensus.quorum;

import java.util.OptionalDouble;
import java.util.function.DoubleSupplier;

/**
 * Which reads go to the leader, and which to a majority without it. Knows no time and does no I/O.
 * Thread-safe.
 */
public final class ReadMix {
  /** What part of the mean one read makes up. */
  private static final double WEIGHT = 0.05;

  /** Each way gets at least this part of the reads, so that it is known how long it takes. */
  private static final double LEAST = 0.02;

  /** How strongly the quicker way is preferred. */
  private static final int PREFERENCE = 3;

  /** The two ways of a read. */
  public enum Way {
    LEADER,
    MAJORITY
  }

  /**
   * How reads are divided.
   *
   * @param adaptive whether by how long the two ways take
   * @param leaderFraction what part the leader gets, from 0 to 1, where it does not depend on that;
   *     empty for the part under which all replicas have the same work
   */
  public record Policy(boolean adaptive, OptionalDouble leaderFraction) {
    public Policy {
      if (leaderFraction.isPresent()
          && !(leaderFraction.getAsDouble() >= 0 && leaderFraction.getAsDouble() <= 1)) {
        throw new IllegalArgumentException("A fraction is 0 to 1");
      }
    }
  }

  private final Policy policy;
  private final DoubleSupplier random;
  // Negative before the first read.
  private double leaderNanos = -1;
  private double majorityNanos = -1;

  /**
   * @param random gives numbers from 0 to 1
   */
  public ReadMix(Policy policy, DoubleSupplier random) {
    this.policy = policy;
    this.random = random;
  }

  /**
   * The part x of the reads under which the leader has as many as each follower: a majority q of
   * the others serves the rest, so that each of the n - 1 has (1 - x) q / (n - 1), and x is that
   * where x = q / (n - 1 + q). For 3 replicas a half, for 5 three sevenths.
   *
   * @param replicas how many there are, the leader among them; 1 or more
   */
  public static double equalLoad(int replicas) {
    int quorum = replicas / 2 + 1;
    return (double) quorum / (replicas - 1 + quorum);
  }

  /** Which way the next read goes. */
  public Way next(int replicas) {
    return random.getAsDouble() < leaderFraction(replicas) ? Way.LEADER : Way.MAJORITY;
  }

  /** What part of the reads goes to the leader now. */
  public synchronized double leaderFraction(int replicas) {
    if (!policy.adaptive()) {
      return policy.leaderFraction().orElseGet(() -> equalLoad(replicas));
    }
    if (leaderNanos < 0 || majorityNanos < 0) {
      return equalLoad(replicas);
    }
    // Whoever gets more to do becomes slower, so this settles where both take about equally long,
    // or, where one is slower whatever it gets, almost all go the other way.
    double leader = Math.pow(leaderNanos, PREFERENCE);
    double majority = Math.pow(majorityNanos, PREFERENCE);
    double fraction = leader + majority > 0 ? majority / (leader + majority) : equalLoad(replicas);
    return Math.min(1 - LEAST, Math.max(LEAST, fraction));
  }

  /** A read took so long; one that failed counts with the time it took to fail. */
  public synchronized void took(Way way, long nanos) {
    if (way == Way.LEADER) {
      leaderNanos = mean(leaderNanos, nanos);
    } else {
      majorityNanos = mean(majorityNanos, nanos);
    }
  }

  private static double mean(double before, long nanos) {
    return before < 0 ? nanos : before + WEIGHT * (nanos - before);
  }
}
