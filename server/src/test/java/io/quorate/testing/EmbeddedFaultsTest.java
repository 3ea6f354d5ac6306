package io.quorate.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.client.Batch;
import io.quorate.client.IndeterminateException;
import io.quorate.client.InvalidRequestException;
import io.quorate.client.QuorateClient;
import io.quorate.client.UnavailableException;
import io.quorate.client.cluster.NodeReport;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.model.GroupId;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class EmbeddedFaultsTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final GroupId REGION = new GroupId(1);

  @Test
  void aWriteWhoseResponseIsLostIsIndeterminateAndHasTakenEffect() {
    try (EmbeddedCluster cluster = EmbeddedCluster.start(1);
        QuorateClient client = QuorateClient.connect(cluster.options());
        EmbeddedCluster other = EmbeddedCluster.start(1);
        QuorateClient ofOther = QuorateClient.connect(other.options())) {
      cluster.faults().dropResponses(0);
      assertThatThrownBy(() -> client.withDeadline(Duration.ofSeconds(2)).put("key", "value"))
          .isInstanceOf(IndeterminateException.class);
      assertThatThrownBy(() -> client.withDeadline(Duration.ofSeconds(1)).get("key"))
          .isInstanceOf(UnavailableException.class);
      ofOther.put("key", "of the other cluster");
      cluster.faults().heal();
      assertThat(client.get("key")).contains("value");
    }
  }

  @Test
  void aClientMayConnectWhileResponsesAreLost() {
    try (EmbeddedCluster cluster = EmbeddedCluster.start(1)) {
      cluster.faults().dropResponses();
      try (QuorateClient client = QuorateClient.connect(cluster.options())) {
        assertThatThrownBy(() -> client.withDeadline(Duration.ofSeconds(2)).put("key", "value"))
            .isInstanceOf(IndeterminateException.class);
        cluster.faults().heal();
        assertThat(client.get("key")).contains("value");
      }
    }
  }

  @Test
  void aClosedClusterHasNoFaultsThatItsPortsWouldKeep() {
    EmbeddedCluster cluster = EmbeddedCluster.start(1);
    ClusterFaults faults = cluster.faults();
    cluster.close();
    assertThatThrownBy(faults::dropResponses).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> faults.isolate(0)).isInstanceOf(IllegalStateException.class);
    faults.heal();
  }

  @Test
  void anIsolatedLeaderIsReplacedAndFollowsWhenItIsBack() {
    try (EmbeddedCluster cluster = EmbeddedCluster.builder().nodes(3).regions(1).start();
        QuorateClient client = QuorateClient.connect(cluster.options())) {
      client.put("key", "before");
      int former = leader(client);
      cluster.faults().isolate(former);
      client.withDeadline(TIMEOUT).put("key", "meanwhile");
      await().atMost(TIMEOUT).until(() -> leader(client) != former);
      long written = applied(client, leader(client));
      cluster.faults().heal();
      await().atMost(TIMEOUT).until(() -> applied(client, former) >= written);
      assertThat(client.get("key")).contains("meanwhile");
    }
  }

  @Test
  void aRegionBeginsWhereItIsSplit() {
    try (EmbeddedCluster cluster = EmbeddedCluster.builder().regions(1).start();
        QuorateClient client = QuorateClient.connect(cluster.options())) {
      Batch batch = new Batch().put("order:1", "o").put("user:1", "u");
      client.batch(batch);
      cluster.splitAt("p");
      assertThatThrownBy(() -> client.batch(batch)).isInstanceOf(InvalidRequestException.class);
      cluster.splitAt("p");
    }
  }

  /** The number of the node that leads the region, from 0; none is -1. */
  private static int leader(QuorateClient client) {
    return client.status().nodes().stream()
        .filter(node -> node.replica(REGION).filter(ReplicaState::serving).isPresent())
        .findFirst()
        .map(EmbeddedFaultsTest::number)
        .orElse(-1);
  }

  private static int number(NodeReport node) {
    return Integer.parseInt(node.name().substring(1)) - 1;
  }

  private static long applied(QuorateClient client, int number) {
    return client.status().nodes().stream()
        .filter(node -> number(node) == number)
        .flatMap(node -> node.replica(REGION).stream())
        .mapToLong(ReplicaState::applied)
        .findFirst()
        .orElse(-1);
  }
}
