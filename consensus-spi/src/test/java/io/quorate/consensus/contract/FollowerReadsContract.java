package io.quorate.consensus.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.FollowerReads;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import io.quorate.consensus.contract.ContractCluster.Node;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What an engine that offers {@link FollowerReads} must do. */
public abstract class FollowerReadsContract extends ContractFixture {
  @Test
  void everyReplicaReadsBehindWhatWasAcknowledged() throws IOException {
    share();
    cluster.propose("first");
    NodeId leader = cluster.awaitServingId();
    for (Node node : cluster.running().values()) {
      eventually(() -> readIndex(node));
    }
    for (int i = 0; i < 50; i++) {
      Position written = cluster.propose("k" + i).position();
      for (Node node : cluster.running().values()) {
        // Two at a time: the second may share the next question.
        CompletableFuture<Position> first = readIndex(node);
        Position second = eventually(() -> readIndex(node));
        assertThat(second.covers(written)).isTrue();
        assertThat(
                first.handle((point, failure) -> failure != null || point.covers(written)).join())
            .isTrue();
      }
    }
  }

  @Test
  void aReplicaThatReachesNoMajorityReadsNothing() throws IOException {
    share();
    cluster.propose("k");
    NodeId leader = cluster.awaitServingId();
    List<NodeId> others =
        cluster.running().keySet().stream().filter(id -> !id.equals(leader)).toList();
    cluster.stop(List.of(leader, others.get(0)));
    assertThatThrownBy(() -> readIndex(cluster.node(others.get(1))).join())
        .hasCauseInstanceOf(ConsensusException.Unavailable.class);
  }

  private static CompletableFuture<Position> readIndex(Node node) {
    return node.group()
        .control(FollowerReads.class)
        .orElseThrow()
        .readIndex()
        .toCompletableFuture();
  }
}
