package io.quorate.quorum;

import java.util.OptionalDouble;
import java.util.function.DoubleSupplier;

/**
 * Divides reads between the leader and a majority without the leader. Does no I/O and uses no
 * clock. Thread-safe.
 */
public final class ReadBalancer {
  /** The weight of one read in the moving averages. */
  private static final double READ_WEIGHT = 0.05;

  /** The minimum fraction of reads on each path, so that the latency of both is measured. */
  private static final double FRACTION_MIN = 0.02;

  /** The exponent of the latencies; the higher, the stronger the preference for the faster path. */
  private static final int PREFERENCE = 3;

  /** The path of a read. */
  public enum Way {
    LEADER,
    MAJORITY
  }

  /**
   * The rule by which reads are divided.
   *
   * @param adaptive whether the fractions depend on the measured latencies of the two paths
   * @param leaderFraction the leader's fraction of the reads, from 0 to 1, if it is not adaptive;
   *     empty for the fraction that gives every replica the same load
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
  // Moving averages of the latencies; negative before the first read.
  private double leaderNanos = -1;
  private double majorityNanos = -1;

  /**
   * @param random supplies random numbers in [0, 1); called on any thread
   */
  public ReadBalancer(Policy policy, DoubleSupplier random) {
    this.policy = policy;
    this.random = random;
  }

  /**
   * The leader's fraction x of the reads with which the leader serves as many reads as each
   * follower. A majority q of the n - 1 followers serves each other read, so each follower serves
   * (1 - x) q / (n - 1), and x = q / (n - 1 + q): 1/2 for 3 replicas, 3/7 for 5.
   *
   * @param replicas the number n of replicas including the leader; 1 or more
   */
  public static double equalLoad(int replicas) {
    int quorum = replicas / 2 + 1;
    return (double) quorum / (replicas - 1 + quorum);
  }

  /** Chooses the path of the next read at random, by {@link #leaderFraction}. */
  public Way next(int replicas) {
    return random.getAsDouble() < leaderFraction(replicas) ? Way.LEADER : Way.MAJORITY;
  }

  /** The fraction of reads that is currently sent to the leader. */
  public synchronized double leaderFraction(int replicas) {
    if (!policy.adaptive()) {
      return policy.leaderFraction().orElseGet(() -> equalLoad(replicas));
    }
    if (leaderNanos < 0 || majorityNanos < 0) {
      return equalLoad(replicas);
    }
    // A path becomes slower with its load, so the fraction converges to equal latencies. If one
    // path is slower at any load, almost all reads take the other.
    double leader = Math.pow(leaderNanos, PREFERENCE);
    double majority = Math.pow(majorityNanos, PREFERENCE);
    double fraction = leader + majority > 0 ? majority / (leader + majority) : equalLoad(replicas);
    return Math.min(1 - FRACTION_MIN, Math.max(FRACTION_MIN, fraction));
  }

  /** Records the latency of a read; for a failed read, the time until it failed. */
  public synchronized void took(Way way, long nanos) {
    if (way == Way.LEADER) {
      leaderNanos = updated(leaderNanos, nanos);
    } else {
      majorityNanos = updated(majorityNanos, nanos);
    }
  }

  private static double updated(double average, long nanos) {
    return average < 0 ? nanos : average + READ_WEIGHT * (nanos - average);
  }
}
