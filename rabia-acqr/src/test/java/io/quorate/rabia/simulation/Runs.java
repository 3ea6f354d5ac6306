package io.quorate.rabia.simulation;

import io.quorate.rabia.core.Mutation;
import java.util.Optional;
import java.util.function.Consumer;

/** Runs of seeds. */
final class Runs {
  /** What a seed led to. */
  record Failure(long seed, RuntimeException cause) {
    @Override
    public String toString() {
      return "Seed " + seed + " fails: " + cause.getMessage() + ". Replay it with -Dseed=" + seed
          + " -Dtest=SimulationTest#replaysOneSeed";
    }
  }

  private Runs() {}

  /** Runs one seed; whatever it throws is its failure. */
  static Optional<Failure> run(long seed, Mutation mutation, Consumer<String> trace) {
    try {
      new Simulation(seed, SimulationOptions.of(seed, mutation), trace).run();
      return Optional.empty();
    } catch (RuntimeException e) {
      return Optional.of(new Failure(seed, e));
    }
  }

  /** Runs seeds in order until one fails. */
  static Optional<Failure> run(long first, int count, Mutation mutation) {
    for (long seed = first; seed < first + count; seed++) {
      Optional<Failure> failure = run(seed, mutation, null);
      if (failure.isPresent()) {
        return failure;
      }
    }
    return Optional.empty();
  }
}
