package io.quorate.consensus.contract;

import static io.quorate.consensus.contract.ContractCluster.PATIENCE;
import static io.quorate.consensus.contract.ContractCluster.proposeAt;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.FollowerReads;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import io.quorate.consensus.contract.ContractCluster.Node;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What an engine that offers {@link FollowerReads} must do. */
public abstract class FollowerReadsContract extends ContractFixture {
  @Test
  void everyReplicaReadsBehindWhatWasAcknowledged() throws IOException {
    start(3);
    cluster.propose("first");
    NodeId leader = cluster.awaitServingId();
    for (Node node : cluster.running().values()) {
      await().atMost(PATIENCE).ignoreExceptions().until(() -> readPoint(node).join() != null);
    }
    for (int i = 0; i < 50; i++) {
      Position written = proposeAt(cluster.node(leader), "k" + i).join().position();
      for (Node node : cluster.running().values()) {
        // Two at a time: the second may share the next question.
        List<CompletableFuture<Position>> points =
            Stream.generate(() -> readPoint(node)).limit(2).toList();
        assertThat(points).allMatch(point -> point.join().covers(written));
      }
    }
  }

  @Test
  void aReplicaThatReachesNoMajorityReadsNothing() throws IOException {
    start(3);
    cluster.propose("k");
    NodeId leader = cluster.awaitServingId();
    List<NodeId> others =
        cluster.running().keySet().stream().filter(id -> !id.equals(leader)).toList();
    cluster.stop(List.of(leader, others.get(0)));
    assertThatThrownBy(() -> readPoint(cluster.node(others.get(1))).join())
        .hasCauseInstanceOf(ConsensusException.Unavailable.class);
  }

  private static CompletableFuture<Position> readPoint(Node node) {
    return node.group()
        .control(FollowerReads.class)
        .orElseThrow()
        .readPoint()
        .toCompletableFuture();
  }
}
