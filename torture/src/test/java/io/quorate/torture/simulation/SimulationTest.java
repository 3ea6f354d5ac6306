package io.quorate.torture.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.rabia.core.Mutation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Runs of many seeds under faults. {@code -Dseeds} is the number of seeds, {@code -DfirstSeed} the
 * first one, {@code -Dmutation} the broken rule; a single seed prints a line for each event.
 */
class SimulationTest {
  private static final int SEEDS =
      Integer.getInteger("seeds", Boolean.getBoolean("tests.slow") ? 500 : 100);
  private static final int MORE_SEEDS = 1_500;
  private static final long FIRST = Long.getLong("firstSeed", 1);
  private static final Mutation MUTATION =
      Mutation.valueOf(System.getProperty("mutation", Mutation.NONE.name()));

  /** The number of seeds from which on every count of the coverage must be positive. */
  private static final int COVERED_SEEDS_MIN = 500;

  /**
   * Together with the other seeds, as many as {@link MutationTest} may need to detect a broken
   * rule.
   */
  @Test
  @Tag("slow")
  void moreSeedsViolateNoRule() {
    assertThat(Runs.run(FIRST + SEEDS, MORE_SEEDS, MUTATION, done -> {}, new Coverage())).isEmpty();
  }

  @Test
  void noSeedViolatesARule() {
    Coverage coverage = new Coverage();

    Optional<Runs.Failure> failure =
        SEEDS == 1
            ? Runs.run(FIRST, MUTATION, System.out::println, coverage)
            : Runs.run(FIRST, SEEDS, MUTATION, done -> {}, coverage);

    assertThat(failure).isEmpty();
    assertThat(coverage.count("runs")).isEqualTo(SEEDS);
    if (SEEDS >= COVERED_SEEDS_MIN) {
      assertEveryCountIsPositive(coverage);
    }
  }

  private static void assertEveryCountIsPositive(Coverage coverage) {
    assertThat(
            List.of(
                "abstentions",
                "bodies dropped",
                "crashes",
                "decisions sent from the log",
                "disks lost",
                "duplicate batches",
                "messages beyond the window",
                "own batches issued again",
                "slots decided by equal proposals",
                "slots decided by equal states",
                "slots decided by votes",
                "slots learned",
                "slots repeated",
                "slots skipped",
                "snapshots installed"))
        .as("coverage:\n%s", coverage)
        .allMatch(name -> coverage.count(name) > 0);
    assertThat(coverage.count("configurations")).isGreaterThan(coverage.count("runs"));
    assertThat(coverage.count("highest phase")).isGreaterThan(coverage.count("runs"));
  }

  @Test
  void runsOfTheSameSeedAreEqual() {
    List<String> first = new ArrayList<>();
    List<String> second = new ArrayList<>();
    assertThat(Runs.run(42, Mutation.NONE, first::add, new Coverage())).isEmpty();
    assertThat(Runs.run(42, Mutation.NONE, second::add, new Coverage())).isEmpty();
    assertThat(second).hasSizeGreaterThan(1_000).isEqualTo(first);
  }
}
