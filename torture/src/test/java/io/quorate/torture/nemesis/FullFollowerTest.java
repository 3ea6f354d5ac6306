package io.quorate.torture.nemesis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.client.ClientOptions;
import io.quorate.client.QuorateClient;
import io.quorate.model.NodeId;
import io.quorate.server.localcluster.ClusterPlan;
import io.quorate.server.localcluster.ClusterPlan.Shape;
import io.quorate.server.localcluster.Launch;
import io.quorate.server.localcluster.NodeProcess;
import io.quorate.server.localcluster.Ports;
import io.quorate.server.localcluster.ProcessCluster;
import io.quorate.torture.nemesis.arena.FailpointOrders;
import io.quorate.torture.testbed.agent.AgentJar;
import io.quorate.torture.testbed.agent.FailpointOrder;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A follower in a process with a small heap that cannot apply entries: the leader and the other
 * follower commit several times what the follower's heap holds, and the follower survives.
 */
@Tag("slow")
@Timeout(400)
class FullFollowerTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(90);
  private static final String HEAP = "-Xmx96m";
  private static final int VALUE_BYTES = 256 << 10;
  private static final int WRITES = 960;
  private static final long UNAPPLIED_MIB_MAX = 128;

  /** Requests that were in flight when the bound was reached. */
  private static final long UNAPPLIED_MIB_SLACK = 70;

  @TempDir private Path directory;

  private final HttpClient http = HttpClient.newHttpClient();

  @Test
  void itsHeapIsBoundedWhileTheLeaderCommits() throws Exception {
    AgentJar agent = AgentJar.in(directory);
    ClusterPlan plan =
        ClusterPlan.of(
            directory.resolve("cluster"), "full", new Shape(3, 1, "raft"), new Ports.Free());
    Map<String, String> settings =
        Map.of(
            "raft.unapplied-size-max",
            UNAPPLIED_MIB_MAX + "MiB",
            "storage.write-buffer",
            "8MiB",
            // The default would be a third of this heap.
            "storage.apply-queue-bytes",
            "8MiB");
    try (ProcessCluster cluster =
            ProcessCluster.of(
                plan,
                node ->
                    new Launch(
                        List.of(HEAP, agent.flag(FailpointOrders.file(node), Optional.empty())),
                        Map.of(),
                        settings));
        QuorateClient client = start(cluster)) {
      client.put("before", "1");
      NodeProcess follower = follower(cluster, client);
      Path orders = FailpointOrders.file(follower.plan());
      new FailpointOrder.StallAt("storage.apply.before-write").send(orders);

      for (int i = 0; i < WRITES; i++) {
        client.put(utf8("key" + i % 64), value(i));
      }

      // It has accepted more than its heap holds, and less than was written.
      await()
          .atMost(TIMEOUT)
          .until(
              () ->
                  !follower.isAlive()
                      || metric(follower, "quorate_raft_unapplied_bytes")
                          >= UNAPPLIED_MIB_MAX << 20);
      assertThat(follower.isAlive())
          .as(() -> "whether the follower is alive; its last line: " + follower.lastSentence())
          .isTrue();
      assertThat(metric(follower, "quorate_raft_unapplied_bytes"))
          .isLessThan((UNAPPLIED_MIB_MAX + UNAPPLIED_MIB_SLACK) << 20);

      FailpointOrder.withdraw(orders);
      double written = metric(leader(cluster, client), "quorate_region_applied_index");
      await()
          .atMost(TIMEOUT)
          .untilAsserted(
              () ->
                  assertThat(metric(follower, "quorate_region_applied_index"))
                      .isGreaterThanOrEqualTo(written));
    }
  }

  private static QuorateClient start(ProcessCluster cluster) throws IOException {
    cluster.start();
    cluster.awaitServing(TIMEOUT);
    return QuorateClient.connect(
        ClientOptions.builder(cluster.plan().clientAddresses()).deadline(TIMEOUT).build());
  }

  private static NodeProcess leader(ProcessCluster cluster, QuorateClient client) {
    return cluster.node(leader(client));
  }

  private static NodeProcess follower(ProcessCluster cluster, QuorateClient client) {
    NodeId leader = leader(client);
    return cluster.nodes().stream()
        .filter(node -> !node.plan().id().equals(leader))
        .findFirst()
        .orElseThrow();
  }

  private static NodeId leader(QuorateClient client) {
    return client.async().status().join().nodes().stream()
        .flatMap(node -> node.state().stream())
        .flatMap(state -> state.regions().stream())
        .flatMap(region -> region.leader().stream())
        .findFirst()
        .orElseThrow();
  }

  /** Returns the value of a metric of region 1. */
  private double metric(NodeProcess node, String name) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(node.plan().adminAddress() + "/metrics"))
            .timeout(TIMEOUT)
            .build();
    return http.send(request, HttpResponse.BodyHandlers.ofString())
        .body()
        .lines()
        .filter(line -> line.startsWith(name + "{") && line.contains("region=\"1\""))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .findFirst()
        .orElseThrow();
  }

  private static byte[] value(int seed) {
    byte[] value = new byte[VALUE_BYTES];
    new Random(seed).nextBytes(value);
    return value;
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
