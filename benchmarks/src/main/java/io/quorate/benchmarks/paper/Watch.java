package io.quorate.benchmarks.paper;

import java.io.IOException;
import java.util.Map;

/** Sees something of a cluster from its opening on. For use by one thread. */
interface Watch extends AutoCloseable {

  /**
   * Ends it. Blocks.
   *
   * @param commands that were answered since the opening
   * @return nothing where there was nothing to see
   * @throws IOException if a node does not tell
   */
  Map<Metric, Double> end(long commands) throws IOException, InterruptedException;

  @Override
  void close();
}
