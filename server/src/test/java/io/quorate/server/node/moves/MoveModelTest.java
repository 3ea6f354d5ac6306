package io.quorate.server.node.moves;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The rules of changes of replicas hold in random schedules, and each of them is needed. */
class MoveModelTest {
  private static final int SEEDS = 3_000;

  @Test
  void noScheduleBreaksARule() {
    // New seeds in each run, besides the fixed ones.
    long more = System.nanoTime();
    LongStream.concat(LongStream.range(0, SEEDS), LongStream.range(more, more + SEEDS))
        .forEach(
            seed ->
                assertThatCode(() -> new MoveModel(seed, Optional.empty()).run())
                    .as("seed %d", seed)
                    .doesNotThrowAnyException());
  }

  @ParameterizedTest
  @EnumSource
  void aBrokenRuleIsFound(MoveMutation mutation) {
    assertThat(LongStream.range(0, SEEDS).anyMatch(seed -> isFound(mutation, seed)))
        .as("a violation in %d schedules", SEEDS)
        .isTrue();
  }

  private static boolean isFound(MoveMutation mutation, long seed) {
    try {
      new MoveModel(seed, Optional.of(mutation)).run();
      return false;
    } catch (MoveModel.Violation e) {
      return true;
    }
  }
}
