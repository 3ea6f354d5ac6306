package io.quorate.client;

import static io.quorate.client.ClientFixture.failure;
import static io.quorate.client.ClientFixture.options;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.fake.FakeCluster;
import io.quorate.client.fake.FakeNode;
import io.quorate.client.fake.Reaction;
import io.quorate.client.wire.Opcode;
import io.quorate.client.wire.Status;
import io.quorate.client.wire.v1.Replica;
import io.quorate.consensus.NodeId;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class NodeAdministrationTest {
  /** The last attempt is cut off by the deadline, which says nothing about the request. */
  @Test
  void aRequestThatFailsAtItsDeadlineReportsWhyTheAttemptsBeforeFailed() {
    try (FakeCluster cluster = FakeCluster.start(1);
        AsyncQuorateClient client =
            AsyncQuorateClient.open(options(cluster).deadline(Duration.ofSeconds(2)).build())) {
      FakeNode node = cluster.node(1);
      node.always(
          Opcode.STATUS,
          Reaction.changedStatus(
              status ->
                  status.addReplicas(
                      Replica.newBuilder()
                          .setRegion(0)
                          .setEpoch(1)
                          .addReplicas("n1")
                          .setServing(true))));
      node.next(Opcode.CHANGE_NODES, Reaction.refuse(Status.UNAVAILABLE));
      node.always(Opcode.CHANGE_NODES, Reaction.swallow());

      assertThat(failure(client.nodes().drain(new NodeId("n1"))))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("scripted UNAVAILABLE");
      assertThat(node.count(Opcode.CHANGE_NODES)).isEqualTo(2);
    }
  }
}
