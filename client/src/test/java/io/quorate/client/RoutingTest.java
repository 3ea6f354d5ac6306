package io.quorate.client;

import static io.quorate.client.ClientFixture.bytes;
import static io.quorate.client.ClientFixture.options;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.client.fake.FakeCluster;
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

/** Requests are routed to the leaders of regions, and share connections. */
class RoutingTest {
  private FakeCluster cluster;
  private QuorateClient client;

  @BeforeEach
  void start() {
    cluster = FakeCluster.start(3, "m");
    client = QuorateClient.connect(options(cluster).build());
  }

  @AfterEach
  void stop() {
    client.close();
    cluster.close();
  }

  @Test
  void aRedirectIsFollowedAndTheLeaderIsStored() {
    client.put("a", "1");
    cluster.setLeader(1, "n3");
    client.put("a", "2");
    assertThat(client.get("a")).contains("2");
    assertThat(cluster.node(1).count(Opcode.WRITE))
        .as("one write, and one that is redirected")
        .isEqualTo(2);
    assertThat(cluster.node(3).count(Opcode.WRITE)).isEqualTo(1);
    assertThat(cluster.node(1).count(Opcode.GET)).as("the new leader is stored").isZero();
  }

  @Test
  void aWriteIsRetriedUntilThereIsALeader() {
    cluster.setLeader(1, "");
    CompletableFuture<Position> put = client.async().put(bytes("a"), bytes("1"));
    await()
        .untilAsserted(
            () ->
                assertThat(cluster.nodes())
                    .allSatisfy(n -> assertThat(n.count(Opcode.WRITE)).isPositive()));
    cluster.setLeader(1, "n2");
    put.join();
    assertThat(cluster.value("a")).contains("1");
    assertThat(cluster.duplicates()).isZero();
  }

  @Test
  void aStaleEpochResponseReplacesTheTopology() {
    client.put("a", "1");
    cluster.raiseEpoch(1);
    client.put("a", "2");
    client.put("a", "3");
    assertThat(cluster.value("a")).contains("3");
    assertThat(cluster.node(1).count(Opcode.WRITE)).as("refused once").isEqualTo(4);
    assertThat(cluster.node(1).count(Opcode.TOPOLOGY))
        .as("the response contained the topology")
        .isLessThan(2);
  }

  @Test
  void aStaleEpochResponseWithoutATopologyCausesATopologyRequest() {
    cluster.node(1).next(Opcode.GET, Reaction.refuse(Status.STALE_EPOCH));
    int before = cluster.nodes().stream().mapToInt(n -> n.count(Opcode.TOPOLOGY)).sum();
    assertThat(client.get("a")).isEmpty();
    assertThat(cluster.nodes().stream().mapToInt(n -> n.count(Opcode.TOPOLOGY)).sum())
        .isGreaterThan(before);
  }

  @Test
  void aRequestToAnOverloadedServerIsRetried() {
    cluster.node(1).next(Opcode.WRITE, Reaction.refuse(Status.OVERLOADED));
    cluster.node(1).next(Opcode.WRITE, Reaction.refuse(Status.OVERLOADED));
    client.put("a", "1");
    assertThat(cluster.node(1).count(Opcode.WRITE)).isEqualTo(3);
  }

  @Test
  void anInvalidRequestIsNotRetried() {
    cluster.node(1).next(Opcode.WRITE, Reaction.refuse(Status.INVALID));
    assertThatThrownBy(() -> client.put("a", "1"))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessageContaining("scripted INVALID");
    assertThat(cluster.node(1).count(Opcode.WRITE)).isEqualTo(1);
  }

  @Test
  void manyRequestsShareAConnectionAndResponsesMayArriveInAnyOrder() {
    cluster.node(1).always(Opcode.GET, Reaction.gather(1000));
    client.put("a", "1");
    List<CompletableFuture<?>> gets = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      gets.add(client.async().get(bytes("a")));
    }
    CompletableFuture.allOf(gets.toArray(CompletableFuture[]::new)).join();
    assertThat(cluster.node(1).count(Opcode.GET)).isEqualTo(1000);
    assertThat(cluster.node(1).accepted()).isEqualTo(1);
  }

  @Test
  void theConfiguredNumberOfConnectionsIsMade() {
    try (QuorateClient threeConnections =
        QuorateClient.connect(options(cluster).connectionsPerNode(3).build())) {
      int before = cluster.node(1).accepted();
      List<CompletableFuture<?>> puts = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        puts.add(threeConnections.async().put(bytes("a" + i), bytes("1")));
        threeConnections.put("b", "2");
      }
      CompletableFuture.allOf(puts.toArray(CompletableFuture[]::new)).join();
      assertThat(cluster.node(1).accepted() - before).isBetween(2, 3);
    }
  }

  @Test
  void theServersLimitOnOneConnectionIsKept() {
    cluster.node(1).limits(1 << 20, 10);
    List<FakeRequest> held = new ArrayList<>();
    cluster.node(1).always(Opcode.GET, held::add);
    try (AsyncQuorateClient other =
        AsyncQuorateClient.open(
            options(cluster)
                .attemptTimeout(Duration.ofSeconds(10))
                .silenceMax(Duration.ofSeconds(10))
                .build())) {
      List<CompletableFuture<?>> gets = new ArrayList<>();
      for (int i = 0; i < 25; i++) {
        gets.add(other.get(bytes("a")));
      }
      await().untilAsserted(() -> assertThat(cluster.node(1).count(Opcode.GET)).isEqualTo(10));
      other.ready().join();
      assertThat(cluster.node(1).count(Opcode.GET)).isEqualTo(10);
      cluster.node(1).serveNormally();
      cluster.node(1).run(() -> held.forEach(FakeRequest::serve));
      CompletableFuture.allOf(gets.toArray(CompletableFuture[]::new)).join();
      assertThat(cluster.node(1).count(Opcode.GET)).isEqualTo(25);
    }
  }
}
