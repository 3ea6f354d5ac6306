package io.quorate.client;

import static io.quorate.client.ClientFixture.failure;
import static io.quorate.client.ClientFixture.options;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.cluster.NodeAddress;
import io.quorate.client.fake.FakeCluster;
import io.quorate.client.fake.FakeNode;
import io.quorate.client.fake.Reaction;
import io.quorate.model.NodeId;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Status;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NodeAdministrationTest {
  /** The search for the cluster, which comes first, too. */
  @Test
  void aChangeKeepsToTheDeadlineOfItsClientWhereNoNodeResponds() {
    FakeCluster cluster = FakeCluster.start(1);
    ClientOptions options = options(cluster).deadline(ClientOptions.DEADLINE_MAX).build();
    cluster.close();
    try (AsyncQuorateClient client = AsyncQuorateClient.open(options)) {
      assertThat(
              failure(
                  client
                      .withDeadline(Duration.ofMillis(300))
                      .nodes()
                      .add(new NodeAddress("127.0.0.1", 1))))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("within 300ms");
    }
  }

  /** The last attempt is cut off by the deadline, which says nothing about the request. */
  @Test
  void aRequestThatFailsAtItsDeadlineReportsWhyTheAttemptsBeforeFailed() {
    try (FakeCluster cluster = FakeCluster.start(1);
        AsyncQuorateClient client =
            AsyncQuorateClient.open(options(cluster).deadline(Duration.ofSeconds(2)).build())) {
      FakeNode node = ClientFixture.servingRegion0(cluster);
      node.next(Opcode.CHANGE_NODES, Reaction.refuse(Status.UNAVAILABLE));
      node.always(Opcode.CHANGE_NODES, Reaction.swallow());

      assertThat(failure(client.nodes().drain(new NodeId("n1"))))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("scripted UNAVAILABLE");
      assertThat(node.count(Opcode.CHANGE_NODES)).isEqualTo(2);
    }
  }
}
