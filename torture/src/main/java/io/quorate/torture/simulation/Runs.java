package io.quorate.torture.simulation;

import io.quorate.rabia.core.Mutation;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;

/** Runs the simulation for one seed or many. A run uses one thread; several run in parallel. */
public final class Runs {
  /** The failure of the run of a seed. */
  public record Failure(long seed, Mutation mutation, RuntimeException cause) {
    @Override
    public String toString() {
      String option = mutation == Mutation.NONE ? "" : " --mutation " + mutation;
      return "Seed "
          + seed
          + " fails: "
          + cause.getMessage()
          + "\nReplay it: ./quorate simulate --seed "
          + seed
          + option;
    }
  }

  private Runs() {}

  /**
   * Runs one seed.
   *
   * @param trace receives a line for each event; null for no trace
   * @param coverage the counts of the run are added to it
   * @return the failure, a violation or any other exception
   */
  public static Optional<Failure> run(
      long seed, Mutation mutation, Consumer<String> trace, Coverage coverage) {
    Simulation simulation = null;
    try {
      simulation = new Simulation(seed, SimulationOptions.of(seed, mutation), trace);
      simulation.run();
      return Optional.empty();
    } catch (RuntimeException e) {
      return Optional.of(new Failure(seed, mutation, e));
    } finally {
      if (simulation != null) {
        coverage.add(simulation.coverage());
      }
    }
  }

  /**
   * Runs consecutive seeds on as many threads as there are processors, until one fails.
   *
   * @param progress receives the number of finished runs, on any thread
   * @param coverage the counts of the runs are added to it
   * @return the failure of the lowest seed that fails
   */
  public static Optional<Failure> run(
      long first, int count, Mutation mutation, LongConsumer progress, Coverage coverage) {
    AtomicReference<Failure> failure = new AtomicReference<>();
    AtomicLong next = new AtomicLong(first);
    AtomicLong done = new AtomicLong();
    IntStream.range(0, Runtime.getRuntime().availableProcessors())
        .parallel()
        .forEach(
            worker -> {
              Coverage own = new Coverage();
              long seed = next.getAndIncrement();
              while (seed < first + count && isBelow(seed, failure.get())) {
                run(seed, mutation, null, own)
                    .ifPresent(found -> failure.accumulateAndGet(found, Runs::lower));
                progress.accept(done.incrementAndGet());
                seed = next.getAndIncrement();
              }
              synchronized (coverage) {
                coverage.add(own);
              }
            });
    return Optional.ofNullable(failure.get());
  }

  /**
   * Seeds below a failed one are still run, so that the result does not depend on the scheduling of
   * the threads.
   */
  private static boolean isBelow(long seed, Failure failure) {
    return failure == null || seed < failure.seed();
  }

  private static Failure lower(Failure one, Failure other) {
    return one == null || other.seed() < one.seed() ? other : one;
  }
}
