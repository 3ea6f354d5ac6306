package io.quorate.storage.merge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.quorate.storage.split.Violation;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The rules of merges hold in random schedules, and each of them is needed. */
class MergeModelTest {
  private static final int RUNS = 250;

  /** Enough for the rarest coincidence. */
  private static final int SEEDS = 2_000;

  @Test
  void noScheduleBreaksARule() {
    // New seeds in each run, besides the fixed ones.
    long more = System.nanoTime();
    LongStream.concat(LongStream.range(0, RUNS), LongStream.range(more, more + RUNS))
        .forEach(
            seed ->
                assertThatCode(() -> new MergeModel(seed, Optional.empty()).run())
                    .as("seed %d", seed)
                    .doesNotThrowAnyException());
  }

  @ParameterizedTest
  @EnumSource
  void aBrokenRuleIsFound(MergeMutation mutation) {
    assertThat(LongStream.range(0, SEEDS).anyMatch(seed -> isFound(mutation, seed)))
        .as("a violation in %d schedules", SEEDS)
        .isTrue();
  }

  private static boolean isFound(MergeMutation mutation, long seed) {
    try {
      new MergeModel(seed, Optional.of(mutation)).run();
      return false;
    } catch (Violation e) {
      return true;
    }
  }
}
