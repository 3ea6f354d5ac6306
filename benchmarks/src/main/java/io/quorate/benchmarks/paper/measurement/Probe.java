package io.quorate.benchmarks.paper.measurement;

import io.quorate.benchmarks.paper.result.Metric;
import java.io.IOException;
import java.util.Map;

/** Measures a property of a cluster from the opening of the probe on. Not thread-safe. */
public interface Probe extends AutoCloseable {

  /**
   * Ends the measurement. Blocks.
   *
   * @param commands number of commands that completed since the opening
   * @return empty if nothing could be measured
   * @throws IOException if a node does not report its state
   */
  Map<Metric, Double> end(long commands) throws IOException, InterruptedException;

  @Override
  void close();
}
