package io.quorate.client;

import static io.quorate.client.ClientFixture.bytes;
import static io.quorate.client.ClientFixture.failure;
import static io.quorate.client.ClientFixture.options;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.client.fake.FakeCluster;
import io.quorate.client.fake.FakeNode;
import io.quorate.client.fake.FakeRequest;
import io.quorate.client.fake.Reaction;
import io.quorate.model.Position;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Calls that reach their deadline, and calls beyond the limits of the client. */
class DeadlineTest {
  /**
   * A timeout of attempts that is also the deadline of most calls with it. The last attempt has a
   * quarter of this time or more.
   */
  private static final Duration TIMEOUT_LONG = Duration.ofSeconds(2);

  private FakeCluster cluster;
  private AsyncQuorateClient client;

  @BeforeEach
  void start() {
    cluster = FakeCluster.start(2);
    client = open(4096, 1 << 20, 4096, Duration.ofMillis(200), Duration.ofMillis(800));
  }

  @AfterEach
  void stop() {
    client.close();
    cluster.close();
  }

  private AsyncQuorateClient open(
      int inFlight, long inFlightBytes, int waiting, Duration attemptTimeout, Duration deadline) {
    AsyncQuorateClient opened =
        AsyncQuorateClient.open(
            options(cluster)
                .deadline(deadline)
                .attemptTimeout(attemptTimeout)
                .inFlight(inFlight, inFlightBytes)
                .waiting(waiting, 1 << 20)
                .build());
    await().until(() -> opened.ready().handle((ready, failure) -> failure == null).join());
    return opened;
  }

  private void always(Reaction reaction) {
    for (FakeNode node : cluster.nodes()) {
      node.always(Opcode.WRITE, reaction);
      node.always(Opcode.GET, reaction);
    }
  }

  private CompletableFuture<Position> put() {
    return client.put(bytes("a"), bytes("1"));
  }

  @Test
  void aWriteWithoutAResponseIsIndeterminate() {
    always(Reaction.swallow());
    assertThat(failure(put()))
        .isInstanceOf(IndeterminateException.class)
        .hasMessageContaining("within 800ms");
  }

  @Test
  void aStatusHasTheShorterDeadlineOfItsView() {
    cluster.node(2).always(Opcode.STATUS, Reaction.swallow());
    try (AsyncQuorateClient longTimeout =
        open(10, 1 << 20, 10, TIMEOUT_LONG, Duration.ofMinutes(1))) {
      AsyncQuorateClient view = longTimeout.withDeadline(Duration.ofMillis(300));
      assertThat(view.status().join().nodes())
          .anySatisfy(
              node ->
                  assertThat(node.problem()).contains("The node did not respond within 300ms."));
      assertThat(view.blocking().status().isReachable()).isTrue();
    }
  }

  @Test
  void aCallMayHaveAShorterDeadlineThanTheOthers() {
    always(Reaction.swallow());
    try (AsyncQuorateClient longTimeout =
        open(10, 1 << 20, 10, TIMEOUT_LONG, Duration.ofMinutes(1))) {
      CompletableFuture<?> other = longTimeout.get(bytes("a"));
      assertThat(failure(longTimeout.withDeadline(Duration.ofMillis(300)).get(bytes("a"))))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("within 300ms");
      assertThat(other).isNotDone();
      assertThatThrownBy(() -> longTimeout.withDeadline(Duration.ofMinutes(6)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("at most 5m");
    }
  }

  @Test
  void aReadWithoutAResponseIsUnavailable() {
    always(Reaction.swallow());
    assertThat(failure(client.get(bytes("a"))))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("did not respond");
  }

  @Test
  void aWriteThatEveryReplicaRefusesHasNoEffect() {
    try (AsyncQuorateClient longTimeout = open(10, 1 << 20, 10, TIMEOUT_LONG, TIMEOUT_LONG)) {
      always(Reaction.refuse(Status.UNAVAILABLE));
      assertThat(failure(longTimeout.put(bytes("a"), bytes("1"))))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("scripted UNAVAILABLE");
      assertThat(cluster.value("a")).isEmpty();
    }
  }

  @Test
  void aWriteWithoutALeaderIsUnavailable() {
    try (AsyncQuorateClient longTimeout = open(10, 1 << 20, 10, TIMEOUT_LONG, TIMEOUT_LONG)) {
      cluster.setLeader(1, "");
      assertThat(failure(longTimeout.put(bytes("a"), bytes("1"))))
          .isInstanceOf(UnavailableException.class);
    }
  }

  @Test
  void aWriteAtOverloadedReplicasFailsAsOverloaded() {
    try (AsyncQuorateClient longTimeout = open(10, 1 << 20, 10, TIMEOUT_LONG, TIMEOUT_LONG)) {
      always(Reaction.refuse(Status.OVERLOADED));
      assertThat(failure(longTimeout.put(bytes("a"), bytes("1"))))
          .isInstanceOf(OverloadedException.class)
          .hasMessageContaining("scripted OVERLOADED");
    }
  }

  @Test
  void aRefusalDoesNotSettleAnEarlierIndeterminateAttempt() {
    always(Reaction.refuse(Status.UNAVAILABLE));
    cluster.node(1).next(Opcode.WRITE, Reaction.executeThenDrop());
    assertThat(failure(put())).isInstanceOf(IndeterminateException.class);
    assertThat(cluster.value("a")).contains("1");
  }

  @Test
  void aClusterThatIsDownIsUnavailable() {
    cluster.nodes().forEach(FakeNode::stop);
    assertThat(failure(client.get(bytes("a")))).isInstanceOf(UnavailableException.class);
    // The client has detected by now that its connections are closed, so the put is not sent.
    assertThat(failure(put()))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("127.0.0.1");
  }

  @Test
  void connectingToAClusterThatIsDownFailsWithOneSentence() {
    cluster.nodes().forEach(FakeNode::stop);
    ClientOptions options =
        ClientOptions.builder(cluster.addresses()).deadline(Duration.ofSeconds(1)).build();
    assertThatThrownBy(() -> QuorateClient.connect(options))
        .isInstanceOf(UnavailableException.class)
        .hasMessageMatching("(?s)No replica could serve the request within 1s: .*refused\\.");
  }

  @Test
  void callsBeyondTheLimitWaitAndCallsBeyondTheQueueAreRejected() {
    try (AsyncQuorateClient small =
        open(2, 1 << 20, 3, Duration.ofMillis(800), Duration.ofMillis(800))) {
      List<FakeRequest> held = new ArrayList<>();
      cluster.node(1).always(Opcode.GET, held::add);
      List<CompletableFuture<?>> gets = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        gets.add(small.get(bytes("a")));
      }
      CompletableFuture<?> sixth = small.get(bytes("a"));
      assertThat(sixth).isCompletedExceptionally();
      assertThat(failure(sixth))
          .isInstanceOf(OverloadedException.class)
          .hasMessageContaining("at most 3 requests");
      assertThat(failure(gets.get(4)))
          .isInstanceOf(OverloadedException.class)
          .hasMessageContaining("at most 2 requests");
      assertThat(failure(gets.get(0))).isInstanceOf(UnavailableException.class);
      cluster.node(1).serveNormally();
      await("capacity again")
          .until(() -> small.get(bytes("a")).handle((value, failure) -> failure == null).join());
    }
  }

  @Test
  void bytesInFlightAreBoundedToo() {
    try (AsyncQuorateClient small = open(100, 1000, 0, TIMEOUT_LONG, TIMEOUT_LONG)) {
      assertThat(failure(small.put(bytes("a"), new byte[1000])))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("at most 1000 bytes in flight");
    }
  }

  @Test
  void allWaitingCallsAreSent() {
    try (AsyncQuorateClient small = open(2, 1 << 20, 1000, TIMEOUT_LONG, Duration.ofSeconds(20))) {
      List<CompletableFuture<?>> puts = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        puts.add(small.put(bytes("k" + i), bytes("v")));
      }
      CompletableFuture.allOf(puts.toArray(CompletableFuture[]::new)).join();
      assertThat(cluster.node(1).count(Opcode.WRITE)).isEqualTo(500);
    }
  }
}
