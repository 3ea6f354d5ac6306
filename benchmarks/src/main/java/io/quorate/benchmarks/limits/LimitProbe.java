package io.quorate.benchmarks.limits;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;

/** Measures limits of one part of the machine. Not thread-safe. */
interface LimitProbe extends AutoCloseable {

  /**
   * Measures the limits once. Blocks.
   *
   * @param time how long each operation is repeated; at least one is executed
   */
  Map<Limit, Double> measure(Duration time) throws IOException;

  @Override
  void close() throws IOException;
}
