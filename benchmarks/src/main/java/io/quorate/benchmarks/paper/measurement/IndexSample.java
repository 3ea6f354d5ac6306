package io.quorate.benchmarks.paper.measurement;

import io.quorate.benchmarks.paper.testbed.Leader;
import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.NodeState;
import io.quorate.client.cluster.ReplicaState;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The commit index and the applied index of a leader at one time.
 *
 * @param atNanos time of the sample, on a monotonic clock
 * @param committed the index from which a linearizable read can be served at this time
 * @param applied the index up to which all entries are applied
 */
record IndexSample(long atNanos, long committed, long applied) {

  /** The sample of the data's leader; empty while no node reports that it leads. */
  static Optional<IndexSample> of(ClusterStatus status, long atNanos) {
    return status.nodes().stream()
        .flatMap(node -> node.state().stream())
        .flatMap(node -> led(node))
        .findFirst()
        .map(replica -> new IndexSample(atNanos, replica.committed(), replica.applied()));
  }

  private static Stream<ReplicaState> led(NodeState node) {
    return node.replicas().stream().filter(each -> Leader.leads(node, each));
  }

  /**
   * Number of positions that were committed and not applied. At least 0, because the two indexes
   * are read one after the other.
   */
  long gap() {
    return Math.max(0, committed - applied);
  }
}
