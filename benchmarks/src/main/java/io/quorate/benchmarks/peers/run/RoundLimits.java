package io.quorate.benchmarks.peers.run;

import io.quorate.benchmarks.limits.Limit;
import io.quorate.benchmarks.limits.LimitRounds;
import io.quorate.benchmarks.limits.MachineLimits;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Measures the limits of the machine in the rounds of a run, and without an exception where that
 * fails: then the contenders are measured without them. Not thread-safe.
 */
final class RoundLimits implements AutoCloseable {
  private final Duration time;
  private final Consumer<String> onFailure;
  private final LimitRounds rounds = new LimitRounds();
  private Optional<MachineLimits> machine = Optional.empty();

  /**
   * Prepares the measurements. Blocks.
   *
   * @param data an existing directory on the measured disk
   * @param time for each kind of operation
   * @param onFailure receives a sentence with the reason, at most once before the end
   */
  RoundLimits(Path data, Duration time, Consumer<String> onFailure) {
    this.time = time;
    this.onFailure = onFailure;
    try {
      machine = Optional.of(MachineLimits.open(data));
    } catch (IOException e) {
      fail(e);
    }
  }

  /** Measures each limit once, and counts nothing: until then, the JVM compiles. Blocks. */
  void warmUp() {
    measureOnce();
  }

  /** Measures each limit once. Blocks. Empty after a failure. */
  Map<Limit, Double> measure() {
    Map<Limit, Double> limits = measureOnce();
    rounds.add(limits);
    return limits;
  }

  private Map<Limit, Double> measureOnce() {
    if (machine.isEmpty()) {
      return Map.of();
    }
    try {
      return machine.get().measure(time);
    } catch (IOException e) {
      fail(e);
      close();
      return Map.of();
    }
  }

  /** The limits of all rounds. */
  LimitRounds rounds() {
    return rounds;
  }

  private void fail(IOException e) {
    onFailure.accept("NOT ALL MEASURED of the limits of the machine: " + e.getMessage());
  }

  /** Deletes all files. Blocks. */
  @Override
  public void close() {
    try {
      if (machine.isPresent()) {
        machine.get().close();
      }
    } catch (IOException e) {
      fail(e);
    }
    machine = Optional.empty();
  }
}
