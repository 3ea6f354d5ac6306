package io.quorate.torture.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.rabia.core.Mutation;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The simulator detects each broken rule within the number of seeds that a build with {@code
 * -Pslow} runs.
 */
class MutationTest {
  private static final int SEEDS = 2_000;

  /** Those that take hundreds of seeds. */
  private static final String RARE = "RESTART_DROPS_PENDING_WRITES|RETURNED_REPLICAS_ARE_MEMBERS";

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = "NONE|" + RARE)
  void isDetected(Mutation mutation) {
    requireDetected(mutation);
  }

  @ParameterizedTest
  @Tag("slow")
  @EnumSource(mode = EnumSource.Mode.MATCH_ANY, names = RARE)
  void isDetectedAfterManySeeds(Mutation mutation) {
    requireDetected(mutation);
  }

  private static void requireDetected(Mutation mutation) {
    Optional<Runs.Failure> failure = Runs.run(1, SEEDS, mutation, done -> {}, new Coverage());

    assertThat(failure).isPresent();
    assertThat(failure.get().cause()).isInstanceOf(Violation.class);
    assertThat(((Violation) failure.get().cause()).rule()).isIn(mutation.violations());
  }
}
