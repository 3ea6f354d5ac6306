package io.quorate.benchmarks.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ZipfianTest {
  private static final double THETA = Zipfian.YCSB_THETA;
  private static final int RANKS = 1000;
  private static final int DRAWS = 1_000_000;

  /** The exact probability of a rank, from 1. */
  private static double probability(int rank) {
    double all = 0;
    for (int i = 1; i <= RANKS; i++) {
      all += Math.pow(i, -THETA);
    }
    return Math.pow(rank, -THETA) / all;
  }

  @Test
  void ranksAreDrawnByTheirProbabilities() {
    Zipfian zipfian = new Zipfian(RANKS, THETA);
    SplittableRandom random = new SplittableRandom(1);
    int[] drawn = new int[RANKS];
    for (int i = 0; i < DRAWS; i++) {
      drawn[zipfian.any(random)]++;
    }

    // The first two probabilities are exact; the cumulative ones of the others are approximate.
    assertThat((double) drawn[0] / DRAWS).isCloseTo(probability(1), within(0.002));
    assertThat((double) drawn[1] / DRAWS).isCloseTo(probability(2), within(0.002));
    double expected = 0;
    double seen = 0;
    for (int rank = 1; rank <= RANKS; rank++) {
      expected += probability(rank);
      seen += (double) drawn[rank - 1] / DRAWS;
      assertThat(seen).isCloseTo(expected, within(0.02));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 10, 100_000})
  void everyRankIsInRangeAndRanksAscend(int ranks) {
    Zipfian zipfian = new Zipfian(ranks, THETA);
    int before = 0;
    for (int i = 0; i < 10_000; i++) {
      int rank = zipfian.at(i / 10_000.0);
      assertThat(rank).isBetween(before, ranks - 1);
      before = rank;
    }
    assertThat(zipfian.at(Math.nextDown(1.0))).isEqualTo(ranks - 1);
  }

  @Test
  void invalidSizesAndSkewsAreRefused() {
    assertThatThrownBy(() -> new Zipfian(0, THETA)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Zipfian(10, 1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Zipfian(10, 0)).isInstanceOf(IllegalArgumentException.class);
  }
}
