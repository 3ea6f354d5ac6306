package io.quorate.client;

import static io.quorate.client.ClientFixture.bytes;
import static io.quorate.client.ClientFixture.failure;
import static io.quorate.client.ClientFixture.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.ClientOptions.QuorumReads;
import io.quorate.client.fake.FakeCluster;
import io.quorate.client.fake.FakeNode;
import io.quorate.client.fake.Reaction;
import io.quorate.model.Guarantee;
import io.quorate.model.KeyRange;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.protocol.operation.RequestId;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Status;
import io.quorate.protocol.wire.v1.Failure;
import io.quorate.quorum.ReadReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Clusters without leaders: the replicas to which writes are sent, and quorum reads. */
class LeaderlessTest {
  private static final byte[] KEY = bytes("k");

  private FakeCluster cluster;

  @BeforeEach
  void start() {
    cluster = FakeCluster.start(3).leaderless();
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private AsyncQuorateClient client(QuorumReads quorumReads) {
    return client(quorumReads, ClientFixture.ATTEMPT_TIMEOUT);
  }

  private AsyncQuorateClient client(QuorumReads quorumReads, Duration attemptTimeout) {
    AsyncQuorateClient client =
        AsyncQuorateClient.open(
            ClientFixture.options(cluster)
                .quorumReads(quorumReads)
                .attemptTimeout(attemptTimeout)
                .build());
    client.ready().join();
    return client;
  }

  private int count(Opcode opcode) {
    return cluster.nodes().stream().mapToInt(node -> node.count(opcode)).sum();
  }

  private void allOf(Opcode opcode, Reaction reaction) {
    cluster.nodes().forEach(node -> node.always(opcode, reaction));
  }

  private static Reaction readReply(long epoch, long applied, long pending, String value) {
    Position highest = pending < 0 ? Position.NONE : new Position(epoch, pending);
    // A reply on the wire has no node id: the client adds that of the replica that it queried.
    return Reaction.readReply(
        new ReadReply<>(
            new NodeId("any"),
            epoch,
            2,
            new Position(epoch, applied),
            highest,
            Optional.of(bytes(value))));
  }

  @Test
  void aWriteIsRetriedAtAnotherReplicaWithTheSameSequenceNumber() {
    try (AsyncQuorateClient client = client(QuorumReads.BY_NODE, Duration.ofSeconds(1))) {
      client.put(KEY, bytes("first")).join();
      FakeNode preferred =
          cluster.nodes().stream()
              .filter(node -> node.count(Opcode.WRITE) == 1)
              .findFirst()
              .orElseThrow();
      preferred.next(Opcode.WRITE, Reaction.executeThenSwallow());
      client.append(KEY, bytes("+")).join();
      assertThat(cluster.duplicates()).isEqualTo(1);
      assertThat(cluster.value("k")).contains("first+");
      List<RequestId> requestIds = new ArrayList<>();
      cluster.nodes().forEach(node -> requestIds.addAll(node.writes()));
      assertThat(requestIds.stream().filter(id -> id.sequence() == 2)).hasSize(2);

      client.append(KEY, bytes("+")).join();
      assertThat(preferred.count(Opcode.WRITE))
          .as("replicas that respond are preferred")
          .isEqualTo(2);
    }
  }

  @Test
  void anElsewhereResponseIsRetriedWithoutAPause() {
    Failure failure =
        Failure.newBuilder()
            .setMessage("stopping")
            .setElsewhere(true)
            .setRetryAfterMs(9000)
            .build();
    allOf(Opcode.WRITE, Reaction.refuse(Status.UNAVAILABLE, failure));
    cluster.node(2).serveNormally();
    try (AsyncQuorateClient client =
        AsyncQuorateClient.open(
            // A pause would last until the deadline of the call.
            ClientFixture.options(cluster)
                .backoff(Duration.ofSeconds(20), Duration.ofSeconds(20))
                .build())) {
      client.put(KEY, bytes("v")).join();
      assertThat(cluster.node(2).count(Opcode.WRITE)).isEqualTo(1);
    }
  }

  @Test
  void aReadByNodeIsOneRequest() {
    try (AsyncQuorateClient client = client(QuorumReads.BY_NODE)) {
      client.put(KEY, bytes("v")).join();

      assertThat(text(client.get(KEY).join())).contains("v");
      assertThat(count(Opcode.GET)).isEqualTo(1);
      assertThat(count(Opcode.READ_REPLY)).isZero();
    }
  }

  @Test
  void aReadByClientQueriesOnlyAQuorum() {
    try (AsyncQuorateClient client = client(QuorumReads.BY_CLIENT)) {
      client.put(KEY, bytes("v")).join();

      assertThat(text(client.get(KEY).join())).contains("v");
      assertThat(client.get(bytes("absent")).join()).isEmpty();
      assertThat(count(Opcode.READ_REPLY)).isBetween(4, 6);
      assertThat(count(Opcode.GET)).isZero();
    }
  }

  @Test
  void localReadsAndScansAreServedByANode() {
    try (AsyncQuorateClient client = client(QuorumReads.BY_CLIENT)) {
      client.get(KEY, Guarantee.LOCAL).join();
      client.scan(KeyRange.ALL, 10).join();

      assertThat(count(Opcode.READ_REPLY)).isZero();
    }
  }

  @Test
  void aReadWaitsForTheBarrier() {
    allOf(
        Opcode.READ_REPLY,
        request -> {
          boolean atBarrier = request.readReplyRequest().atLeast().index() == 8;
          (atBarrier ? readReply(1, 8, -1, "new") : readReply(1, 5, 8, "old")).to(request);
        });
    try (AsyncQuorateClient client = client(QuorumReads.BY_CLIENT)) {
      assertThat(text(client.get(KEY).join())).contains("new");
    }
  }

  @Test
  void aConfigurationChangeDuringTheReadRestartsIt() {
    allOf(Opcode.READ_REPLY, readReply(2, 9, -1, "present"));
    cluster.node(1).next(Opcode.READ_REPLY, readReply(1, 5, -1, "old"));
    try (AsyncQuorateClient client = client(QuorumReads.BY_CLIENT)) {
      for (int i = 0; i < 3; i++) {
        assertThat(text(client.get(KEY).join())).contains("present");
      }
      assertThat(count(Opcode.READ_REPLY)).as("one read took two rounds").isGreaterThan(6);
    }
  }

  @Test
  void aReadSucceedsWhenAReplicaDoesNotRespond() {
    try (AsyncQuorateClient client = client(QuorumReads.BY_CLIENT)) {
      client.put(KEY, bytes("v")).join();
      cluster.node(1).always(Opcode.READ_REPLY, Reaction.swallow());
      for (int i = 0; i < 6; i++) {
        assertThat(text(client.get(KEY).join())).contains("v");
      }
      assertThat(cluster.node(1).count(Opcode.READ_REPLY)).isPositive();
    }
  }

  @Test
  void replicasThatCannotServeAReadAreReplaced() {
    try (AsyncQuorateClient client = client(QuorumReads.BY_CLIENT)) {
      client.put(KEY, bytes("v")).join();
      for (Reaction reaction :
          List.of(
              Reaction.refuse(Status.UNAVAILABLE),
              Reaction.refuse(Status.STALE_EPOCH),
              Reaction.refuse(Status.INTERNAL),
              Reaction.drop())) {
        cluster.node(2).always(Opcode.READ_REPLY, reaction);
        for (int i = 0; i < 3; i++) {
          assertThat(text(client.get(KEY).join())).contains("v");
        }
      }
      cluster.node(2).stop();
      for (int i = 0; i < 3; i++) {
        assertThat(text(client.get(KEY).join())).contains("v");
      }
    }
  }

  @Test
  void withoutAQuorumAReadEndsAtItsDeadline() {
    cluster.node(1).always(Opcode.READ_REPLY, Reaction.swallow());
    cluster.node(2).always(Opcode.READ_REPLY, Reaction.refuse(Status.UNAVAILABLE));
    try (AsyncQuorateClient client =
        AsyncQuorateClient.open(
            ClientFixture.options(cluster)
                .quorumReads(QuorumReads.BY_CLIENT)
                .deadline(Duration.ofMillis(900))
                .build())) {
      assertThat(failure(client.get(KEY)))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("900ms");
    }
  }

  @Test
  void anInvalidRequestEndsTheRead() {
    allOf(Opcode.READ_REPLY, Reaction.refuse(Status.INVALID));
    try (AsyncQuorateClient client = client(QuorumReads.BY_CLIENT)) {
      assertThat(failure(client.get(KEY))).isInstanceOf(InvalidRequestException.class);
    }
  }

  @Test
  void anOutdatedTopologyIsReplaced() {
    try (AsyncQuorateClient client = client(QuorumReads.BY_CLIENT)) {
      client.put(KEY, bytes("v")).join();
      cluster.raiseEpoch(1);

      assertThat(text(client.get(KEY).join())).contains("v");
    }
  }
}
