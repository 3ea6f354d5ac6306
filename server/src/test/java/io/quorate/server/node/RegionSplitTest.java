package io.quorate.server.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.client.Batch;
import io.quorate.client.InvalidRequestException;
import io.quorate.client.QuorateClient;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.server.config.Preset;
import java.io.IOException;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Regions split. Each test has a cluster of its own. */
@ParameterizedClass(name = "{0}")
@MethodSource("presets")
public class RegionSplitTest extends ClusterFixture {
  private static final int KEYS = 60;

  static Stream<Preset> presets() {
    return Stream.of("raft", "acqr").map(name -> Preset.named(name).orElseThrow());
  }

  private static String key(int number) {
    return "k%02d".formatted(number);
  }

  @Test
  void aRegionSplitsWhileANodeIsDownWhichBeginsTheNewOneWhenItAppliesTheSplit() throws IOException {
    start(3, "");
    try (QuorateClient client = client()) {
      client.put("a", "1");
      client.put("z", "2");
      // All nodes with a replica have registered when a region splits.
      awaitServed(client, client.splitRegion("f".getBytes(UTF_8)));
      nodes.get(2).close();
      GroupId child = client.splitRegion("m".getBytes(UTF_8));
      awaitServed(client, child);
      client.put("y", "3");
      nodes.set(2, start(2));
      await().atMost(TIMEOUT).until(() -> replica(client, "n3", child).isPresent());
      nodes.get(0).close();
      assertThat(client.get("a")).contains("1");
      assertThat(client.get("y")).contains("3");
      client.put("z", "4");
      assertThat(client.get("z")).contains("4");
    }
  }

  @Test
  @Tag("slow")
  void replicasOfRegionsThatHaveSplitMove() throws IOException {
    start(4, "cluster.replicas = 3, placement.policy = none");
    try (QuorateClient client = client()) {
      for (int i = 0; i < KEYS; i++) {
        client.put(key(i), Integer.toString(i));
      }
      GroupId child = client.splitRegion(key(30).getBytes(UTF_8));
      awaitServed(client, child);
      for (GroupId region : List.of(new GroupId(1), child)) {
        client.moveReplica(region, new NodeId("n1"), new NodeId("n4"));
        await()
            .atMost(TIMEOUT)
            .until(
                () ->
                    replica(client, "n4", region).isPresent()
                        && replica(client, "n1", region).isEmpty());
      }
      GroupId grandchild = client.splitRegion(key(45).getBytes(UTF_8));
      awaitServed(client, grandchild);
      nodes.get(1).close();
      for (int i = 0; i < KEYS; i++) {
        assertThat(client.get(key(i))).contains(Integer.toString(i));
        client.put(key(i), "new");
      }
    }
  }

  @Test
  @Tag("slow")
  void largeRegionsSplitByThemselvesBetweenPrefixes() throws IOException {
    start(
        2,
        "cluster.replicas = 1, placement.split-size = 300 KiB, placement.split-prefix-end = \"/\"");
    int users = 8;
    byte[] bytes = new byte[7_500];
    new Random(1).nextBytes(bytes);
    // Does not become small in tables.
    String value = Base64.getEncoder().encodeToString(bytes);
    try (QuorateClient client = client()) {
      for (int i = 0; i < users * 10; i++) {
        client.put(name(i), value);
      }
      await()
          .atMost(TIMEOUT)
          .until(() -> client.status().nodes().get(0).state().orElseThrow().regions().size() >= 3);
      for (int user = 0; user < users; user++) {
        Batch batch = new Batch();
        for (int i = user * 10; i < user * 10 + 10; i++) {
          assertThat(client.get(name(i))).as(name(i)).contains(value);
          batch.put(name(i), "new");
        }
        client.batch(batch);
      }
    }
  }

  /** Ten keys of each of several users. */
  private static String name(int number) {
    return "user%d/%d".formatted(number / 10, number % 10);
  }

  @Test
  void impossibleSplitsAreRejected() throws IOException {
    start(1, "cluster.replicas = 1");
    try (QuorateClient client = client()) {
      assertThatThrownBy(() -> client.splitRegion(new byte[0]))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("at least 1 byte");
      assertThatThrownBy(() -> client.splitRegion(new byte[70_000]))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("limits.key");
    }
  }

  private static Optional<ReplicaState> replica(QuorateClient client, String node, GroupId region) {
    return client.status().nodes().stream()
        .filter(report -> report.id().equals(Optional.of(new NodeId(node))))
        .flatMap(report -> report.replica(region).stream())
        .findFirst();
  }
}
