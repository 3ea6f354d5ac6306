package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.client.QuorateClient;
import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.NodeState;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.model.NodeId;
import io.quorate.server.config.Preset;
import io.quorate.server.topology.RegionAssignment;
import java.io.IOException;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Random;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Large regions split where there are nodes for the pieces. */
@ParameterizedClass(name = "{0}")
@MethodSource("presets")
class RegionPiecesTest extends ClusterFixture {
  private static final int KEYS = 400;

  /** Sizes and keys are reported every ten seconds, and pieces are halved three times. */
  private static final Duration EVEN = Duration.ofMinutes(4);

  static Stream<Preset> presets() {
    return presets("raft", "acqr");
  }

  @Test
  @Tag("slow")
  void aLargeRegionSplitsWhenNodesJoinUntilAllAreEven() throws IOException {
    // What is in memory or in blob files is estimated less exactly.
    configure(
        5,
        "placement.split-size = 300 KiB, storage.write-buffer = 1 MiB, storage.blob-size-min = 0");
    for (int i = 0; i < 3; i++) {
      nodes.add(start(i, 3));
    }
    nodes.forEach(ClusterFixture::awaitServing);
    byte[] bytes = new byte[7_500];
    new Random(1).nextBytes(bytes);
    // Does not become small in tables.
    String value = Base64.getEncoder().encodeToString(bytes);
    try (QuorateClient client = client()) {
      for (int i = 0; i < KEYS; i++) {
        client.put(key(i), value);
      }
      await()
          .atMost(TIMEOUT)
          .until(
              () ->
                  command("placement")
                      .contains("all 3 nodes have every region; a split moves nothing"));
      assertThat(regions(client.status())).isEqualTo(1);
      for (int i = 3; i < 5; i++) {
        nodes.add(start(i));
        node("add", "127.0.0.1:" + cluster.clientPort(i));
        awaitServing(nodes.get(i));
      }
      await().atMost(EVEN).untilAsserted(() -> assertEven(client.status()));
      for (int i = 0; i < KEYS; i++) {
        assertThat(client.get(key(i))).contains(value);
      }
    }
  }

  private static String key(int number) {
    return "k%03d".formatted(number);
  }

  private static int regions(ClusterStatus status) {
    return up(status).findFirst().orElseThrow().regions().size();
  }

  private static Stream<NodeState> up(ClusterStatus status) {
    return status.nodes().stream().flatMap(node -> node.state().stream());
  }

  private static void assertEven(ClusterStatus status) {
    assertThat(regions(status)).isGreaterThanOrEqualTo(7);
    LongSummaryStatistics replicas = over(status, replica -> 1);
    assertThat(replicas.getMax() - replicas.getMin()).as("replicas %s", replicas).isLessThan(2);
    LongSummaryStatistics bytes = over(status, ReplicaState::rowBytes);
    assertThat((double) bytes.getMax()).as("bytes %s", bytes).isLessThan(2 * bytes.getAverage());
  }

  /** Of the nodes, the sum over their replicas of regions with data. */
  private static LongSummaryStatistics over(
      ClusterStatus status, ToLongFunction<ReplicaState> value) {
    Map<NodeId, Long> held = new HashMap<>();
    up(status)
        .forEach(
            node ->
                held.put(
                    node.id(),
                    node.replicas().stream()
                        .filter(replica -> !replica.region().id().equals(RegionAssignment.METADATA))
                        .mapToLong(value)
                        .sum()));
    assertThat(held).hasSize(5);
    return held.values().stream().mapToLong(each -> each).summaryStatistics();
  }
}
