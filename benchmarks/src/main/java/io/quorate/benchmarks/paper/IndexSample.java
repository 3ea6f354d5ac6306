package io.quorate.benchmarks.paper;

import io.quorate.client.ClusterStatus;
import io.quorate.client.NodeState;
import io.quorate.client.ReplicaState;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * How far a leader was at a moment.
 *
 * @param atNanos when, by a clock that only goes forward
 * @param committed the index from which a linearizable read may be answered then
 * @param applied the index up to which the database had everything
 */
record IndexSample(long atNanos, long committed, long applied) {

  /** The one of the data's leader; empty while nobody says that it leads. */
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

  /** How many positions were committed and not applied. The two are read one after the other. */
  long gap() {
    return Math.max(0, committed - applied);
  }
}
