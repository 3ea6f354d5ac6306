package io.quorate.rabia.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.rabia.core.Mutation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Many small groups, each with a seed of its own, under faults. {@code -Dseeds} says how many,
 * {@code -DfirstSeed} from which on, {@code -Dmutation} under which broken rule; a single seed says
 * everything that happens.
 */
class SimulationTest {
  private static final int SEEDS = Integer.getInteger("seeds", 500);
  private static final int MORE_SEEDS = 1_500;
  private static final long FIRST = Long.getLong("firstSeed", 1);
  private static final Mutation MUTATION =
      Mutation.valueOf(System.getProperty("mutation", Mutation.NONE.name()));

  /** From how many runs on every corner must have been turned. */
  private static final int MANY = 500;

  /** With the others, as many as {@link MutationTest} may need to find a rule that is broken. */
  @Test
  @Tag("slow")
  void norDoMoreSeeds() {
    assertThat(Runs.run(FIRST + SEEDS, MORE_SEEDS, MUTATION, done -> {}, new Coverage())).isEmpty();
  }

  @Test
  void noSeedViolatesAnything() {
    Coverage coverage = new Coverage();

    Optional<Runs.Failure> failure =
        SEEDS == 1
            ? Runs.run(FIRST, MUTATION, System.out::println, coverage)
            : Runs.run(FIRST, SEEDS, MUTATION, done -> {}, coverage);

    assertThat(failure).isEmpty();
    assertThat(coverage.count("runs")).isEqualTo(SEEDS);
    if (SEEDS >= MANY) {
      everyCornerHasBeenTurned(coverage);
    }
  }

  private static void everyCornerHasBeenTurned(Coverage coverage) {
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
        .allMatch(what -> coverage.count(what) > 0);
    assertThat(coverage.count("configurations")).isGreaterThan(coverage.count("runs"));
    assertThat(coverage.count("highest phase")).isGreaterThan(coverage.count("runs"));
  }

  @Test
  void oneSeedIsOneRun() {
    List<String> first = new ArrayList<>();
    List<String> second = new ArrayList<>();
    assertThat(Runs.run(42, Mutation.NONE, first::add, new Coverage())).isEmpty();
    assertThat(Runs.run(42, Mutation.NONE, second::add, new Coverage())).isEmpty();
    assertThat(second).hasSizeGreaterThan(1_000).isEqualTo(first);
  }
}
