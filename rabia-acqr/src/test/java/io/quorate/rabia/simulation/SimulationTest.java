package io.quorate.rabia.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.rabia.core.Mutation;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Many small groups, each with a seed of its own, under faults. */
class SimulationTest {
  private static final int SEEDS = Integer.getInteger("seeds", 2_000);
  private static final long FIRST = Long.getLong("firstSeed", 1);

  @Test
  void noSeedViolatesAnything() {
    Coverage coverage = new Coverage();

    assertThat(Runs.run(FIRST, SEEDS, Mutation.NONE, done -> {}, coverage)).isEmpty();

    assertThat(
            List.of(
                "abstentions",
                "bodies dropped",
                "crashes",
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
        .as("Every corner has been turned; coverage:\n%s", coverage)
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

  /** Says everything that happens with a seed: {@code -Dseed=N}. */
  @Test
  @EnabledIfSystemProperty(named = "seed", matches = "\\d+")
  void replaysOneSeed() {
    Mutation mutation = Mutation.valueOf(System.getProperty("mutation", "NONE"));
    assertThat(Runs.run(Long.getLong("seed"), mutation, System.out::println, new Coverage()))
        .isEmpty();
  }
}
