package io.quorate.server.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.client.InvalidRequestException;
import io.quorate.client.QuorateClient;
import io.quorate.client.cluster.NodeReport;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.protocol.operation.Operation;
import io.quorate.server.config.Preset;
import java.io.IOException;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Regions are merged. Each test has a cluster of its own. */
@ParameterizedClass(name = "{0}")
@MethodSource("presets")
class RegionMergeTest extends ClusterFixture {
  private static final GroupId LEFT = new GroupId(1);
  private static final byte[] M = "m".getBytes(UTF_8);

  static Stream<Preset> presets() {
    return Stream.of("raft", "acqr").map(name -> Preset.named(name).orElseThrow());
  }

  private static boolean isOn(QuorateClient client, String node, GroupId region) {
    return client.status().nodes().stream()
        .filter(report -> report.id().equals(Optional.of(new NodeId(node))))
        .anyMatch(report -> report.replica(region).isPresent());
  }

  private static void awaitMerged(QuorateClient client, GroupId absorbed) {
    await()
        .atMost(TIMEOUT)
        .until(
            () ->
                client.status().nodes().stream()
                    .flatMap(report -> report.state().stream())
                    .noneMatch(
                        state ->
                            state.regions().stream()
                                .anyMatch(region -> region.id().equals(absorbed))));
    await()
        .atMost(TIMEOUT)
        .until(
            () ->
                client.status().nodes().stream()
                    .flatMap(report -> report.replica(absorbed).stream())
                    .findAny()
                    .isEmpty());
  }

  /** What it has of the second region is behind, or gone, when it applies what it has missed. */
  @Test
  void aNodeThatIsDownDuringAMergeAppliesItWhenItReturns() throws IOException {
    start(3, "");
    try (QuorateClient client = client()) {
      client.put("a", "1");
      client.put("y", "1");
      client.put("z", "1");
      GroupId right = client.splitRegion(M);
      awaitServed(client, right);
      await().atMost(TIMEOUT).until(() -> isOn(client, "n3", right));
      assertThat(client.mergeRegion(M)).isEqualTo(LEFT);
      nodes.get(2).close();
      client.put("z", "2");
      client.delete("y");
      awaitMerged(client, right);
      client.put("z", "3");
      GroupId again = client.splitRegion("x".getBytes(UTF_8));
      awaitServed(client, again);
      client.put("z", "4");
      nodes.set(2, start(2));
      await().atMost(TIMEOUT).until(() -> isOn(client, "n3", again) && !isOn(client, "n3", right));
      nodes.get(0).close();
      assertThat(client.get("a")).contains("1");
      assertThat(client.get("y")).isEmpty();
      assertThat(client.get("z")).contains("4");
      client.put("y", "5");
      client.put("z", "5");
      assertThat(client.get("z")).contains("5");
    }
  }

  @Test
  @Tag("slow")
  void replicasOfRegionsThatWereMergedMove() throws IOException {
    start(4, "cluster.replicas = 3, placement.policy = none");
    try (QuorateClient client = client()) {
      client.put("a", "1");
      client.put("z", "1");
      GroupId right = client.splitRegion(M);
      awaitServed(client, right);
      // The split is complete when its plan is stored as such.
      await()
          .atMost(TIMEOUT)
          .ignoreExceptions()
          .until(
              () -> {
                client.moveReplica(right, new NodeId("n1"), new NodeId("n4"));
                return true;
              });
      await().atMost(TIMEOUT).until(() -> isOn(client, "n4", right) && !isOn(client, "n1", right));
      assertThatThrownBy(() -> client.mergeRegion(M))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("move them to the same nodes first");
      client.moveReplica(LEFT, new NodeId("n1"), new NodeId("n4"));
      await().atMost(TIMEOUT).until(() -> isOn(client, "n4", LEFT) && !isOn(client, "n1", LEFT));
      client.mergeRegion(M);
      awaitMerged(client, right);
      client.moveReplica(LEFT, new NodeId("n2"), new NodeId("n1"));
      await().atMost(TIMEOUT).until(() -> isOn(client, "n1", LEFT) && !isOn(client, "n2", LEFT));
      nodes.get(2).close();
      assertThat(client.get("a")).contains("1");
      assertThat(client.get("z")).contains("1");
    }
  }

  @Test
  void aRegionThatIsTooLargeServesAgain() throws IOException {
    start(1, "cluster.replicas = 1");
    try (QuorateClient client = client()) {
      client.put("x", "x".repeat(Operation.Absorb.STATE_BYTES_MAX));
      client.put("z", "1");
      awaitServed(client, client.splitRegion(M));
      client.mergeRegion(M);
      awaitNothingPlanned(client);
      assertThat(regions(client)).isEqualTo(2);
      assertThat(client.get("z")).contains("1");
      client.put("z", "2");
      client.delete("x");
      client.mergeRegion(M);
      await().atMost(TIMEOUT).until(() -> regions(client) == 1);
      assertThat(client.get("z")).contains("2");
    }
  }

  private static void awaitNothingPlanned(QuorateClient client) {
    await().atMost(TIMEOUT).until(() -> client.status().plans().isEmpty());
  }

  private static int regions(QuorateClient client) {
    NodeReport node = client.status().nodes().get(0);
    return node.state().orElseThrow().regions().size();
  }

  @Test
  void impossibleMergesAreRejected() throws IOException {
    start(1, "cluster.replicas = 1");
    try (QuorateClient client = client()) {
      assertThatThrownBy(() -> client.mergeRegion(new byte[0]))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("no region before it");
      assertThatThrownBy(() -> client.mergeRegion(M))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessage(
              "No region begins at \"m\", which is in region 1; there is nothing to merge.");
    }
  }
}
