package io.quorate.benchmarks.kv;

import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/**
 * Ranks of which the one numbered i, from 1 on, is drawn in proportion to 1 / i^theta: by the
 * inversion in constant time of Gray et al., "Quickly Generating Billion-Record Synthetic
 * Databases", SIGMOD 1994. The first two ranks are exact, the others very nearly. Any thread.
 */
final class Zipfian {
  /** The skew of YCSB. */
  static final double YCSB_THETA = 0.99;

  private final int ranks;
  private final double zeta;
  private final double uptoSecond;
  private final double alpha;
  private final double eta;

  /**
   * @param ranks how many there are, 1 or more
   * @param theta the skew, above 0 and below 1
   */
  Zipfian(int ranks, double theta) {
    if (ranks < 1 || !(theta > 0 && theta < 1)) {
      throw new IllegalArgumentException(
          "There is at least 1 rank, and the skew is above 0 and below 1; asked were "
              + ranks
              + " and "
              + theta
              + ".");
    }
    this.ranks = ranks;
    this.zeta = zeta(ranks, theta);
    this.uptoSecond = zeta(2, theta);
    this.alpha = 1 / (1 - theta);
    this.eta = (1 - Math.pow(2.0 / ranks, 1 - theta)) / (1 - uptoSecond / zeta);
  }

  /** The next rank, from 0, which is the likeliest, to one below their number. */
  int any(RandomGenerator random) {
    return at(random.nextDouble());
  }

  /**
   * The rank at which the share of those before it reaches this one.
   *
   * @param share from 0, below 1
   */
  int at(double share) {
    double reached = share * zeta;
    if (ranks == 1 || reached < 1) {
      return 0;
    }
    if (ranks == 2 || reached < uptoSecond) {
      return 1;
    }
    return Math.min(ranks - 1, (int) (ranks * Math.pow(eta * share - eta + 1, alpha)));
  }

  private static double zeta(int terms, double theta) {
    return IntStream.rangeClosed(1, terms).mapToDouble(i -> 1 / Math.pow(i, theta)).sum();
  }
}
