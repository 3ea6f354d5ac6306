package io.quorate.consensus.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.FollowerReads;
import io.quorate.consensus.contract.ContractCluster.Node;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The contract of an engine that offers {@link FollowerReads}. */
public abstract class FollowerReadsContract extends ContractFixture {
  @Test
  void theReadIndexOfEveryReplicaCoversAcknowledgedWrites() throws IOException {
    useShared();
    cluster.propose("first");
    NodeId leader = cluster.awaitServingId();
    for (Node node : cluster.running().values()) {
      eventually(() -> readIndex(node));
    }
    for (int i = 0; i < 50; i++) {
      Position written = cluster.propose("k" + i).position();
      for (Node node : cluster.running().values()) {
        // Two concurrent calls: the second one may share the next request to the leader.
        CompletableFuture<Position> first = readIndex(node);
        Position second = eventually(() -> readIndex(node));
        assertThat(second.covers(written)).isTrue();
        assertThat(
                first
                    .handle((readIndex, failure) -> failure != null || readIndex.covers(written))
                    .join())
            .isTrue();
      }
    }
  }

  @Test
  void aReplicaWithoutAMajorityObtainsNoReadIndex() throws IOException {
    useShared();
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
