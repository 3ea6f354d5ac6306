package io.quorate.benchmarks.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PoissonArrivalsTest {
  private static final int ARRIVALS = 200_000;
  private static final double NANOS_PER_SECOND = 1e9;

  private static long[] times(double perSecond, long seed) {
    PoissonArrivals arrivals = new PoissonArrivals(perSecond, new SplittableRandom(seed));
    return LongStream.generate(arrivals::nextNanos).limit(ARRIVALS).toArray();
  }

  /** The standard error of the mean gap is 1 / sqrt(200,000), or 0.2 %. */
  @ParameterizedTest
  @ValueSource(doubles = {0.5, 100, 20_000})
  void theMeanRateIsTheRequestedOne(double perSecond) {
    long[] times = times(perSecond, 1);

    double rate = ARRIVALS * NANOS_PER_SECOND / times[ARRIVALS - 1];
    assertThat(rate / perSecond).isCloseTo(1, within(0.01));
  }

  @Test
  void gapsAreExponentiallyDistributed() {
    long[] times = times(1000, 2);
    double mean = NANOS_PER_SECOND / 1000;

    for (double factor : new double[] {0.1, 0.5, 1, 2, 4}) {
      int longer = 0;
      for (int i = 1; i < ARRIVALS; i++) {
        longer += times[i] - times[i - 1] > factor * mean ? 1 : 0;
      }
      assertThat((double) longer / ARRIVALS)
          .as("part of the gaps above %s times the mean", factor)
          .isCloseTo(Math.exp(-factor), within(0.005));
    }
  }

  /** A gap has nothing to do with the gap before: as many long ones follow long ones. */
  @Test
  void gapsAreIndependent() {
    long[] times = times(1000, 3);
    double mean = NANOS_PER_SECOND / 1000;

    int afterLong = 0;
    int longAfterLong = 0;
    for (int i = 2; i < ARRIVALS; i++) {
      if (times[i - 1] - times[i - 2] > mean) {
        afterLong++;
        longAfterLong += times[i] - times[i - 1] > mean ? 1 : 0;
      }
    }
    assertThat((double) longAfterLong / afterLong).isCloseTo(Math.exp(-1), within(0.01));
  }

  @Test
  void theSeedDeterminesTheTimes() {
    assertThat(times(1000, 4)).isEqualTo(times(1000, 4)).isNotEqualTo(times(1000, 5)).isSorted();
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, -1, Double.NaN})
  void aRateThatIsNotAboveZeroIsRejected(double perSecond) {
    assertThatThrownBy(() -> new PoissonArrivals(perSecond, new SplittableRandom(1)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
