package io.quorate.benchmarks.paper.measurement;

import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.result.Results;
import java.io.IOException;
import java.util.List;

/** Measures the cases of an evaluation. */
public interface CaseRunner {

  /**
   * Starts the required clusters, measures every case, and stops the clusters. Blocks.
   *
   * @return what was measured, and what failed after something had been measured
   * @throws IOException if nothing could be measured
   * @throws io.quorate.server.localcluster.ClusterException likewise, if a cluster does not serve
   * @throws io.quorate.client.QuorateException likewise, if a cluster rejects a call
   */
  Results measure(List<Case> cases) throws IOException, InterruptedException;
}
