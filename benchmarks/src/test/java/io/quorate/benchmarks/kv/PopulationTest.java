package io.quorate.benchmarks.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PopulationTest {
  private static final int KEYS = 100;

  private final SplittableRandom random = new SplittableRandom(1);

  private static int number(byte[] key) {
    return (int) ByteBuffer.wrap(key, key.length - Long.BYTES, Long.BYTES).getLong();
  }

  @Test
  void latestPrefersTheKeysInsertedLast() {
    Population population = new Population(new KeySpace(KEYS));
    for (int i = 0; i < 10; i++) {
      population.inserted(population.claim());
    }

    int hottest = 0;
    for (int i = 0; i < 1000; i++) {
      int number = number(population.any(KeyChoice.LATEST, random));
      assertThat(number).isBetween(10, KEYS + 9);
      hottest += number == KEYS + 9 ? 1 : 0;
    }
    assertThat(hottest).isGreaterThan(1000 / 10);
  }

  @Test
  void otherChoicesUseTheInitialKeysOnly() {
    Population population = new Population(new KeySpace(KEYS));
    population.inserted(population.claim());

    for (int i = 0; i < 1000; i++) {
      assertThat(number(population.any(KeyChoice.UNIFORM, random))).isBetween(0, KEYS - 1);
      assertThat(number(population.any(KeyChoice.ZIPFIAN, random))).isBetween(0, KEYS - 1);
    }
  }

  @Test
  void noKeyIsClaimedTwiceAndOnlyInsertedKeysAreTheLatest() {
    Population population = new Population(new KeySpace(KEYS));
    int first = population.claim();
    int second = population.claim();
    assertThat(first).isEqualTo(KEYS);
    assertThat(second).isEqualTo(KEYS + 1);

    population.inserted(first);
    for (int i = 0; i < 1000; i++) {
      assertThat(number(population.any(KeyChoice.LATEST, random))).isLessThanOrEqualTo(first);
    }
  }

  @Test
  void keysOfASpaceHaveACommonPrefix() {
    byte[] low = new KeySpace(5, KEYS).key(0);
    byte[] high = new KeySpace(5, KEYS).key(KEYS - 1);
    byte[] other = new KeySpace(6, KEYS).key(0);

    assertThat(Arrays.mismatch(low, high)).isGreaterThanOrEqualTo(Integer.BYTES);
    assertThat(Arrays.mismatch(low, other)).isLessThan(Integer.BYTES);
  }

  @ParameterizedTest
  @CsvSource({"HOT_FIFTH, 2000", "HOT_HUNDREDTH, 100", "HOT_THOUSANDTH, 10"})
  void fourFifthsOfTheCallsUseTheHotKeys(KeyChoice choice, int hotKeys) {
    Population population = new Population(new KeySpace(10_000));
    int hot = 0;
    Set<Integer> coldKeys = new HashSet<>();
    for (int i = 0; i < 100_000; i++) {
      int number = number(population.any(choice, random));
      assertThat(number).isBetween(0, 9_999);
      if (number < hotKeys) {
        hot++;
      } else {
        coldKeys.add(number);
      }
    }
    assertThat(hot / 100_000.0).isCloseTo(0.8, within(0.01));
    assertThat(coldKeys).hasSizeGreaterThan((10_000 - hotKeys) / 2);
  }

  @Test
  void aSingleKeyIsHot() {
    Population population = new Population(new KeySpace(1));

    assertThat(number(population.any(KeyChoice.HOT_THOUSANDTH, random))).isZero();
  }
}
