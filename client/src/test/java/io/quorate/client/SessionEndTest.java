package io.quorate.client;

import static io.quorate.client.ClientFixture.bytes;
import static io.quorate.client.ClientFixture.failure;
import static io.quorate.client.ClientFixture.options;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.fake.FakeCluster;
import io.quorate.client.fake.FakeNode;
import io.quorate.client.fake.Reaction;
import io.quorate.protocol.operation.RequestId;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Status;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A client that is closed ends its sessions, as far as that takes no time. */
class SessionEndTest {
  private FakeCluster cluster;
  private FakeNode leader;

  @BeforeEach
  void start() {
    cluster = FakeCluster.start(3, "h", "p");
    leader = cluster.node(1);
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private QuorateClient client() {
    return QuorateClient.connect(options(cluster).build());
  }

  @Test
  void aSessionEndsInEachRegionToWhichTheClientHasWritten() {
    try (QuorateClient client = client()) {
      client.put("a", "1");
      client.put("b", "2");
      client.get("i");
      client.put("z", "3");
    }
    List<RequestId> writes = leader.writes();
    assertThat(leader.ends())
        .hasSize(2)
        .allSatisfy(
            end -> {
              assertThat(end.client()).isEqualTo(writes.get(0).client());
              assertThat(end.sequence()).isEqualTo(4);
            });
    assertThat(cluster.region(1).sessions()).isZero();
    assertThat(cluster.region(3).sessions()).isZero();
  }

  @Test
  void aChildOfARegionToWhichTheClientHasWrittenHasASessionToo() {
    try (QuorateClient client = client()) {
      client.put("a", "1");
      cluster.split("c");
      client.put("d", "1");
      cluster.split("d");
      client.put("d", "2");
    }
    assertThat(leader.ends()).hasSize(3);
  }

  @Test
  void aClientThatHasNotWrittenSendsNothing() {
    try (QuorateClient client = client()) {
      client.get("a");
    }
    assertThat(leader.ends()).isEmpty();
  }

  @Test
  void closingDoesNotWaitForARegionThatDoesNotRespondOrRefuses() {
    leader.atEnd(Reaction.swallow());
    try (QuorateClient client = client()) {
      client.put("a", "1");
    }
    leader.atEnd(Reaction.refuse(Status.NOT_LEADER));
    try (QuorateClient client = client()) {
      client.put("a", "1");
      client.put("z", "1");
    }
    leader.atEnd(Reaction.drop());
    try (QuorateClient client = client()) {
      client.put("a", "1");
    }
    assertThat(leader.ends()).hasSize(4);
  }

  @Test
  void closingDoesNotConnectAgain() {
    QuorateClient client = client();
    client.put("a", "1");
    int accepted = cluster.nodes().stream().mapToInt(FakeNode::accepted).sum();
    leader.stop();
    client.close();
    assertThat(cluster.nodes().stream().mapToInt(FakeNode::accepted).sum())
        .isLessThanOrEqualTo(accepted + 2);
    assertThat(leader.ends()).isEmpty();
  }

  @Test
  void callsAreOverBeforeTheSessionsEnd() {
    AsyncQuorateClient client = AsyncQuorateClient.open(options(cluster).build());
    client.put("a", "1").join();
    leader.next(Opcode.WRITE, Reaction.swallow());
    CompletableFuture<?> open = client.put(bytes("a"), bytes("2"));
    // The cluster has the write when it responds to a later one.
    client.put(bytes("a"), bytes("3")).join();
    leader.atEnd(
        end -> {
          assertThat(open).isDone();
          end.serve();
        });
    CompletableFuture<Void> closed = CompletableFuture.runAsync(client::close);
    assertThat(failure(open)).isInstanceOf(IndeterminateException.class);
    closed.join();
    assertThat(leader.ends()).hasSize(1);
    assertThat(cluster.region(1).sessions()).isZero();
    assertThat(failure(client.put(bytes("a"), bytes("4"))))
        .isInstanceOf(ClientClosedException.class);
    client.close();
  }
}
