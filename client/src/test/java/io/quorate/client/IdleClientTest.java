package io.quorate.client;

import static io.quorate.client.ClientFixture.options;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.client.fake.FakeCluster;
import io.quorate.client.fake.FakeNode;
import io.quorate.protocol.wire.Opcode;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Connections that are closed while nothing is on them. */
class IdleClientTest {
  private FakeCluster cluster;
  private FakeNode leader;

  @BeforeEach
  void start() {
    cluster = FakeCluster.start(3);
    leader = cluster.node(1);
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  @Test
  void aClientWhoseIdleConnectionIsClosedConnectsAgainWithTheNextCallOnly() {
    try (QuorateClient client = QuorateClient.connect(options(cluster).build())) {
      client.put("a", "1");
      int accepted = leader.accepted();
      int searches = leader.count(Opcode.TOPOLOGY);
      leader.closeConnections();
      // The event loop has seen the end of the connection after some iterations.
      // The event loop sees the end of the connection in one of many iterations.
      for (int i = 0; i < 500; i++) {
        client.async().ready().join();
      }
      client.put("a", "2");
      assertThat(leader.accepted()).isEqualTo(accepted + 1);
      assertThat(leader.count(Opcode.TOPOLOGY)).isEqualTo(searches);
    }
  }

  @Test
  void theConnectionToANodeThatHasLeftTheClusterIsClosed() {
    FakeNode second = cluster.node(2);
    ClientOptions options =
        ClientOptions.builder(leader.address())
            .deadline(Duration.ofSeconds(20))
            .attemptTimeout(ClientFixture.ATTEMPT_TIMEOUT)
            .build();
    try (QuorateClient client = QuorateClient.connect(options)) {
      cluster.setLeader(1, "n2");
      client.put("a", "1");
      assertThat(second.connections()).isEqualTo(1);
      cluster.remove(second);
      cluster.setLeader(1, "n1");
      cluster.raiseEpoch(1);
      client.put("a", "2");
      await().until(() -> second.connections() == 0);
      client.put("a", "3");
    }
  }
}
