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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The client recovers from failures of nodes and connections, and ends its calls on close. */
class RecoveryTest {
  private FakeCluster cluster;
  private QuorateClient client;

  @BeforeEach
  void start() {
    cluster = FakeCluster.start(3);
    client = QuorateClient.connect(options(cluster).build());
  }

  @AfterEach
  void stop() {
    client.close();
    cluster.close();
  }

  @Test
  void aCallMadeWhileTheWholeClusterIsDownSucceedsOnceItIsBack() {
    client.put("a", "1");
    cluster.nodes().forEach(FakeNode::stop);
    CompletableFuture<Long> sum = client.async().incrementAndGet(bytes("n"), 1);
    assertThat(sum).isNotDone();
    cluster.nodes().forEach(FakeNode::start);
    assertThat(sum.join()).isEqualTo(1);
    assertThat(client.get("a")).contains("1");
  }

  @Test
  void callsInFlightSurviveARestartOfTheLeader() {
    cluster.node(1).always(Opcode.WRITE, Reaction.executeThenSwallow());
    List<CompletableFuture<Position>> writes = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      writes.add(client.async().increment(bytes("n"), 1));
    }
    await().until(() -> cluster.node(1).count(Opcode.WRITE) >= 100);
    cluster.node(1).stop();
    cluster.node(1).serveNormally();
    cluster.node(1).start();
    writes.forEach(CompletableFuture::join);
    assertThat(cluster.value("n")).contains("100");
    assertThat(cluster.duplicates()).isGreaterThanOrEqualTo(100);
  }

  @Test
  void aNewLeaderIsFoundWhenTheFormerOneStops() {
    client.put("a", "1");
    cluster.node(1).stop();
    cluster.setLeader(1, "n2");
    client.put("a", "2");
    assertThat(client.get("a")).contains("2");
  }

  @Test
  void aStoppedFollowerDoesNotAffectWrites() {
    cluster.node(3).stop();
    for (int i = 0; i < 100; i++) {
      client.put("a" + i, "1");
    }
    assertThat(cluster.node(1).count(Opcode.WRITE)).isEqualTo(100);
  }

  @Test
  void aConnectionWithoutResponsesIsReplaced() {
    try (QuorateClient shortTimeouts =
        QuorateClient.connect(
            options(cluster)
                .attemptTimeout(ClientFixture.ATTEMPT_TIMEOUT_SHORT)
                .silenceMax(Duration.ofSeconds(1))
                .build())) {
      int before = cluster.node(1).accepted();
      cluster.node(1).always(Opcode.GET, Reaction.swallow());
      // A response to any request, also to TOPOLOGY, would show that the connection works.
      cluster.node(1).always(Opcode.TOPOLOGY, Reaction.swallow());
      CompletableFuture<?> get = shortTimeouts.async().get(bytes("a"));
      await().until(() -> cluster.node(1).accepted() > before);
      cluster.node(1).serveNormally();
      assertThat(get.join()).isEqualTo(Optional.empty());
    }
  }

  @Test
  void anUnreachableSeedIsSkipped() {
    String seeds = "127.0.0.1:1," + cluster.node(2).address();
    try (QuorateClient other = QuorateClient.connect(ClientOptions.of(seeds))) {
      other.put("a", "1");
      assertThat(cluster.value("a")).contains("1");
    }
  }

  @Test
  void hostNamesAreResolved() {
    String seed = "localhost:" + cluster.node(1).port();
    try (QuorateClient other = QuorateClient.connect(ClientOptions.of(seed))) {
      other.put("a", "1");
      assertThat(cluster.value("a")).contains("1");
    }
  }

  @Test
  void closingEndsCallsInFlight() {
    cluster.nodes().forEach(node -> node.always(Opcode.WRITE, Reaction.swallow()));
    cluster.nodes().forEach(node -> node.always(Opcode.GET, Reaction.swallow()));
    CompletableFuture<?> put = client.async().put(bytes("a"), bytes("1"));
    CompletableFuture<?> get = client.async().get(bytes("a"));
    await().until(() -> cluster.node(1).count(Opcode.GET) > 0);
    client.close();
    assertThat(failure(put)).isInstanceOf(IndeterminateException.class);
    assertThat(failure(get)).isInstanceOf(ClientClosedException.class);
    assertThatThrownBy(() -> client.get("a")).isInstanceOf(ClientClosedException.class);
    assertThat(failure(client.async().ready())).isInstanceOf(ClientClosedException.class);
    client.close();
  }

  @Test
  void aBlockingCallOnTheClientsThreadIsRejected() {
    List<FakeRequest> held = new ArrayList<>();
    cluster.node(1).next(Opcode.GET, held::add);
    CompletableFuture<?> nested =
        client.async().get(bytes("a")).thenRun(() -> client.put("b", "1"));
    await().until(() -> cluster.node(1).count(Opcode.GET) > 0);
    cluster.node(1).run(() -> held.forEach(FakeRequest::serve));
    assertThat(failure(nested))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("client's own thread");
    assertThat(cluster.value("b")).isEmpty();
  }
}
