package io.quorate.benchmarks.paper;

import io.quorate.client.ClusterStatus;
import io.quorate.client.NodeReport;
import io.quorate.client.wire.v1.NodeStatus;
import io.quorate.client.wire.v1.Replica;
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
        .map(NodeReport::status)
        .flatMap(Optional::stream)
        .flatMap(node -> led(node))
        .findFirst()
        .map(replica -> new IndexSample(atNanos, replica.getCommitted(), replica.getApplied()));
  }

  private static Stream<Replica> led(NodeStatus node) {
    return node.getReplicasList().stream().filter(each -> Leader.leads(node, each));
  }

  /** How many positions were committed and not applied. The two are read one after the other. */
  long gap() {
    return Math.max(0, committed - applied);
  }
}
