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
  private static final int SEEDS = 1_000;

  /** One of 100,000 schedules in which a leader that leads again completes what it had begun. */
  private static final long RARE = 88_082;

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
    LongStream seeds = LongStream.concat(LongStream.of(RARE), LongStream.range(0, SEEDS));
    assertThat(seeds.anyMatch(seed -> isFound(mutation, seed)))
        .as("a violation in %d schedules", SEEDS + 1)
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
