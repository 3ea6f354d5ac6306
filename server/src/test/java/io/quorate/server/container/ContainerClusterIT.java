package io.quorate.server.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.client.QuorateClient;
import io.quorate.model.Key;
import io.quorate.model.Position;
import io.quorate.protocol.wire.Status;
import io.quorate.server.localcluster.WriteLedger;
import io.quorate.server.testing.RawClient;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The guarantees to users, verified with a cluster of containers of the image. */
@RequiresImage
@Timeout(300)
class ContainerClusterIT {
  private static final Duration TIMEOUT = Duration.ofSeconds(90);

  /** Of the 12, that with keys that begin with "c". */
  private static final int REGION = 5;

  private static final int STALE_READS = 20;
  private static final int WRITERS = 8;
  private static final int PROGRESS = 100;

  private static ContainerCluster cluster;
  private static QuorateClient client;

  @BeforeAll
  static void startCluster() {
    cluster = ContainerCluster.start();
    client = cluster.client().blocking();
  }

  @AfterAll
  static void removeCluster() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @BeforeEach
  void awaitAllReplicas() {
    Position written = client.put("complete", "all");
    for (NodeContainer node : cluster.nodes()) {
      awaitApplied(node, written);
    }
  }

  @Test
  void theClusterServes() {
    client.put("greeting", "hello");

    assertThat(client.get("greeting")).contains("hello");
    await("all nodes up")
        .atMost(TIMEOUT)
        .untilAsserted(
            () -> assertThat(client.status().nodes()).hasSize(3).allMatch(node -> node.isUp()));
  }

  @Test
  void aPartitionedLeaderServesNoStaleReadAndCatchesUpLater() throws IOException {
    client.put("colour", "old");
    NodeContainer partitioned =
        await("a leader")
            .atMost(TIMEOUT)
            .until(() -> cluster.leader(REGION), Optional::isPresent)
            .orElseThrow();

    partitioned.disconnect();
    client.put("colour", "new");
    try (RawClient direct = RawClient.connect(partitioned.clientPort())) {
      for (int i = 1; i <= STALE_READS; i++) {
        direct.get(i, RawClient.to(REGION), Key.utf8("colour"));
        assertThat(direct.receive().status()).isNotEqualTo(Status.OK);
      }
    }
    assertThat(client.get("colour")).contains("new");

    partitioned.reconnect();
    awaitApplied(partitioned, client.put("colour", "newest"));
    assertThat(client.get("colour")).contains("newest");
  }

  @Test
  void noAcknowledgedWriteIsLostWhenContainersAreKilledAndRecreated() {
    WriteLedger ledger = new WriteLedger(cluster.client());
    ledger.start(WRITERS);
    for (NodeContainer node : cluster.nodes()) {
      awaitProgress(ledger);
      node.stop();
      awaitProgress(ledger);
      node.start();
      assertThat(ledger.violations()).isEmpty();
    }

    awaitProgress(ledger);
    ledger.stop();
    assertThat(ledger.violations()).isEmpty();
    assertThat(ledger.closed()).hasSizeGreaterThan(WRITERS);
  }

  @Test
  void noWriteFailsInARollingRestart() {
    WriteLedger ledger = new WriteLedger(cluster.client());
    ledger.start(WRITERS);
    for (NodeContainer node : cluster.nodes()) {
      awaitProgress(ledger);
      node.stopGracefully();
      awaitProgress(ledger);
      node.start();
    }
    awaitProgress(ledger);
    ledger.stop();

    assertThat(ledger.failed()).isZero();
    assertThat(ledger.violations()).isEmpty();
  }

  private static void awaitApplied(NodeContainer node, Position position) {
    await("node " + node.id() + " at " + position)
        .atMost(TIMEOUT)
        .until(() -> cluster.applied(node, REGION).orElse(-1L) >= position.index());
  }

  private static void awaitProgress(WriteLedger ledger) {
    long target = ledger.acknowledged() + PROGRESS;
    await("acknowledged writes").atMost(TIMEOUT).until(() -> ledger.acknowledged() >= target);
  }
}
