package io.quorate.rabia.simulation;

import io.quorate.rabia.core.Mutation;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;

/** Runs of seeds. Each run is one thread's; several run side by side. */
public final class Runs {
  /** What a seed led to. */
  public record Failure(long seed, Mutation mutation, RuntimeException cause) {
    @Override
    public String toString() {
      String broken = mutation == Mutation.NONE ? "" : " --mutation " + mutation;
      return "Seed "
          + seed
          + " fails: "
          + cause.getMessage()
          + "\nReplay it: ./quorate simulate --seed "
          + seed
          + broken;
    }
  }

  private Runs() {}

  /**
   * Runs one seed.
   *
   * @param trace told of everything that happens; null for nobody
   * @param coverage what the run came across is added here
   * @return what was found, whatever it is
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
   * @param progress told how many are done, on any thread
   * @param coverage what the runs came across is added here
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

  /** Seeds below a failure are still run, so that the lowest one is found however threads run. */
  private static boolean isBelow(long seed, Failure failure) {
    return failure == null || seed < failure.seed();
  }

  private static Failure lower(Failure one, Failure other) {
    return one == null || other.seed() < one.seed() ? other : one;
  }
}
