package io.quorate.benchmarks.kv;

import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/**
 * Draws rank i, from 1 on, with a probability proportional to 1 / i^theta, by the inversion in
 * constant time of Gray et al., "Quickly Generating Billion-Record Synthetic Databases", SIGMOD
 * 1994. The probabilities of the first two ranks are exact, the others approximate. Thread-safe.
 */
final class Zipfian {
  /** The skew of YCSB. */
  static final double YCSB_THETA = 0.99;

  private final int ranks;
  private final double zeta;
  private final double zetaOfTwo;
  private final double alpha;
  private final double eta;

  /**
   * @param ranks number of ranks, 1 or more
   * @param theta the skew, above 0 and below 1
   */
  Zipfian(int ranks, double theta) {
    if (ranks < 1 || !(theta > 0 && theta < 1)) {
      throw new IllegalArgumentException(
          "There is at least 1 rank, and the skew is above 0 and below 1; requested were "
              + ranks
              + " and "
              + theta
              + ".");
    }
    this.ranks = ranks;
    this.zeta = zeta(ranks, theta);
    this.zetaOfTwo = zeta(2, theta);
    this.alpha = 1 / (1 - theta);
    this.eta = (1 - Math.pow(2.0 / ranks, 1 - theta)) / (1 - zetaOfTwo / zeta);
  }

  /** Draws a rank, from 0, the most likely, to {@code ranks - 1}. */
  int any(RandomGenerator random) {
    return at(random.nextDouble());
  }

  /**
   * The inverse of the cumulative distribution.
   *
   * @param share cumulative probability, from 0, below 1
   */
  int at(double share) {
    double reached = share * zeta;
    if (ranks == 1 || reached < 1) {
      return 0;
    }
    if (ranks == 2 || reached < zetaOfTwo) {
      return 1;
    }
    return Math.min(ranks - 1, (int) (ranks * Math.pow(eta * share - eta + 1, alpha)));
  }

  private static double zeta(int terms, double theta) {
    return IntStream.rangeClosed(1, terms).mapToDouble(i -> 1 / Math.pow(i, theta)).sum();
  }
}
