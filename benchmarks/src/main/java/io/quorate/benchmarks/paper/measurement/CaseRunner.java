package io.quorate.benchmarks.paper.measurement;

import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.result.Results;
import java.io.IOException;
import java.util.List;

/** Measures the cases of an evaluation. */
@FunctionalInterface
public interface CaseRunner {

  /**
   * Starts the required clusters, measures every case, and stops the clusters. Blocks.
   *
   * @param results receives each measurement when it is complete, and what failed after something
   *     had been measured; complete measurements remain there if this method fails
   * @throws IOException if nothing could be measured
   * @throws io.quorate.server.localcluster.ClusterException likewise, if a cluster does not serve
   * @throws io.quorate.client.QuorateException likewise, if a cluster rejects a call
   */
  void measure(List<Case> cases, Results results) throws IOException, InterruptedException;
}
