package io.quorate.storage.split;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The rules of splits hold in random schedules, and each of them is needed. */
class SplitModelTest {
  private static final int SEEDS = 300;

  @Test
  void noScheduleBreaksARule() {
    // New seeds in each run, besides the fixed ones.
    long more = System.nanoTime();
    LongStream.concat(LongStream.range(0, SEEDS), LongStream.range(more, more + SEEDS))
        .forEach(
            seed ->
                assertThatCode(() -> new SplitModel(seed, Optional.empty()).run())
                    .as("seed %d", seed)
                    .doesNotThrowAnyException());
  }

  @ParameterizedTest
  @EnumSource
  void aBrokenRuleIsFound(SplitMutation mutation) {
    assertThat(LongStream.range(0, SEEDS).anyMatch(seed -> isFound(mutation, seed)))
        .as("a violation in %d schedules", SEEDS)
        .isTrue();
  }

  private static boolean isFound(SplitMutation mutation, long seed) {
    try {
      new SplitModel(seed, Optional.of(mutation)).run();
      return false;
    } catch (Violation e) {
      return true;
    }
  }
}
