package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.client.QuorateClient;
import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.common.Failpoint;
import io.quorate.model.NodeId;
import io.quorate.server.config.Preset;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Clusters a node of which starts or has a full disk: it leads nothing while others accept writes.
 */
@ParameterizedClass(name = "{0}")
@MethodSource("presets")
class RefusingLeaderTest extends ClusterFixture {
  private static final Failpoint BEFORE_SERVING = Failpoint.named("server.startup.before-serving");

  private static final String SPLIT = "cluster.split-keys = [b, c, d, e, f]";
  private static final List<String> KEYS = List.of("a", "b", "c", "d", "e", "f");

  static Stream<Preset> presets() {
    return presets("raft rabia", "buc craft");
  }

  private final CountDownLatch mayServe = new CountDownLatch(1);

  @AfterEach
  void closeNodes() {
    mayServe.countDown();
    BEFORE_SERVING.off();
  }

  private static void putInEveryRegion(QuorateClient client, String value) {
    KEYS.forEach(key -> client.put(key, value));
    KEYS.forEach(key -> assertThat(client.get(key)).contains(value));
  }

  /** How many regions a node leads, region 0 with them. */
  private static int led(ClusterStatus status, String name) {
    return status.nodes().stream()
        .flatMap(node -> node.state().stream())
        .filter(node -> node.id().value().equals(name))
        .mapToInt(node -> (int) node.replicas().stream().filter(ReplicaState::serving).count())
        .sum();
  }

  private boolean hasLeaders() {
    return preset.mode().engine().equals("raft");
  }

  @Test
  void aNodeWithAFullDiskLeadsNothingAndNoRegionIsWithoutWrites() throws IOException {
    start(3, SPLIT);
    nodes.forEach(QuorateNode::close);
    nodes.clear();
    // The full node is there first, and a majority is with the second one.
    nodes.add(startWith(0, "storage.free-space-min = 1024GiB"));
    nodes.add(start(1));
    nodes.forEach(ClusterFixture::awaitServing);
    try (QuorateClient client = client()) {
      if (hasLeaders()) {
        await().atMost(TIMEOUT).until(() -> led(client.status(), "n2") == KEYS.size() + 1);
      }
      putInEveryRegion(client, "one");
      nodes.add(start(2));
      awaitServing(nodes.get(2));
      putInEveryRegion(client, "two");
      if (hasLeaders()) {
        assertThat(led(client.status(), "n1")).isZero();
      }
    }
  }

  @Test
  void aNodeThatDoesNotServeYetHandsItsLeadershipsOver() throws IOException {
    start(3, SPLIT);
    nodes.forEach(QuorateNode::close);
    nodes.clear();
    BEFORE_SERVING.on(
        (failpoint, node) -> {
          try {
            if (node.equals(new NodeId("n3"))) {
              mayServe.await();
            }
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    nodes.add(start(2));
    nodes.add(start(0));
    awaitServing(nodes.get(1));
    try (QuorateClient client = client()) {
      if (hasLeaders()) {
        await().atMost(TIMEOUT).until(() -> led(client.status(), "n1") == KEYS.size() + 1);
      }
      putInEveryRegion(client, "one");
      assertThat(nodes.get(0).serving().toCompletableFuture()).isNotDone();
      mayServe.countDown();
      awaitServing(nodes.get(0));
      putInEveryRegion(client, "two");
    }
  }
}
