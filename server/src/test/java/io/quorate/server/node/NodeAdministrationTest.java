package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.client.QuorateClient;
import io.quorate.client.cluster.NodeState;
import io.quorate.common.DurableFiles;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.server.config.Preset;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Nodes join, leave and are replaced, by the command line as docs/operations.md has it. */
@ParameterizedClass(name = "{0}")
@MethodSource("presets")
class NodeAdministrationTest extends ClusterFixture {
  private static final int KEYS = 100;

  static Stream<Preset> presets() {
    return presets("raft", "acqr");
  }

  /** The first three nodes are configured with each other; the fourth with all four. */
  @Test
  void aNodeJoinsAndAnotherLeavesWhileClientsWrite()
      throws IOException, ExecutionException, InterruptedException {
    startThreeOf(4, "cluster.regions = 2");
    try (QuorateClient client = client()) {
      AtomicBoolean done = new AtomicBoolean();
      CompletableFuture<Long> writes = CompletableFuture.supplyAsync(() -> count(client, done));
      assertThat(node("drain", "n1"))
          .contains(
              "Region 1 has 3 replicas, and without n1 only 2 nodes are left to hold them; add a"
                  + " node first.");
      nodes.add(start(3));
      assertThat(node("add", address(3), "--dry-run")).contains("n4");
      assertThat(node("add", address(3)))
          .endsWith("The node at " + address(3) + " is in the cluster, and has its replicas.\n");
      awaitServing(nodes.get(3));
      assertThat(node("remove", "n1")).contains("has replicas of regions", "drain it first");
      assertThat(node("drain", "n1"))
          .endsWith("Node n1 has no replicas; \"node remove\" removes it from the cluster.\n");
      assertThat(regionsWithReplicaOn(client, "n1")).isEmpty();
      nodes.get(0).close();
      assertThat(node("remove", "n1"))
          .startsWith("Node n1 is not in the cluster any more. Stop it");
      assertThat(node()).contains("n2", "n3", "n4").doesNotContain("n1 ");
      done.set(true);
      String count = writes.get().toString();
      assertThat(client.get("counter")).contains(count);
    }
  }

  /** By any node, here one that leaves. */
  @Test
  @Tag("slow")
  void aNodeJoinsAndAnotherLeavesByRequestsToTheAdminPort()
      throws IOException, InterruptedException {
    startThreeOf(4, "cluster.regions = 2");
    try (QuorateClient client = client()) {
      nodes.add(start(3));
      change(200, "add?address=" + address(3) + "&dry-run=true");
      assertThat(node()).doesNotContain("n4");
      change(200, "add?address=" + address(3));
      awaitServing(nodes.get(3));
      awaitNoChanges();
      assertThat(change(409, "remove?node=n1")).contains("has replicas of regions", "drain it");
      assertThat(change(200, "drain?node=n1&dry-run=true")).contains("\"from\": \"n1\"");
      assertThat(change(200, "drain?node=n1")).contains("\"from\": \"n1\"");
      awaitNoChanges();
      assertThat(regionsWithReplicaOn(client, "n1")).isEmpty();
      change(200, "undrain?node=n1");
      change(200, "drain?node=n1");
      awaitNoChanges();
      change(200, "remove?node=n1");
      assertThat(node()).contains("n2", "n3", "n4").doesNotContain("n1 ");
    }
  }

  private void awaitNoChanges() {
    await()
        .atMost(TIMEOUT)
        .untilAsserted(
            () ->
                assertThat(http(200, HttpRequest.newBuilder().GET(), "changes"))
                    .isEqualTo("{\"changes\": []}"));
  }

  /** Sends a change to n1. */
  private String change(int status, String change) throws IOException, InterruptedException {
    return http(status, HttpRequest.newBuilder().POST(BodyPublishers.noBody()), change);
  }

  private String http(int status, HttpRequest.Builder request, String path)
      throws IOException, InterruptedException {
    String uri = "http://127.0.0.1:%d/api/nodes/%s".formatted(nodes.get(0).adminPort(), path);
    HttpResponse<String> response =
        HttpClient.newHttpClient()
            .send(request.uri(URI.create(uri)).build(), HttpResponse.BodyHandlers.ofString());
    assertThat(response.statusCode()).as(path + ": " + response.body()).isEqualTo(status);
    return response.body();
  }

  @Test
  void anEmptiedNodeServesOnlyAfterItWasReplaced() throws IOException {
    start(3, "cluster.regions = 2");
    try (QuorateClient client = client()) {
      for (int i = 0; i < KEYS; i++) {
        client.put("k" + i, "v" + i);
      }
      nodes.get(2).close();
      DurableFiles.deleteTree(data(2));
      client.put("while", "down");
      nodes.set(2, start(2));
      client.put("while", "emptied");
      assertThat(nodes.get(2).serving().toCompletableFuture()).isNotDone();
      await()
          .atMost(TIMEOUT)
          .untilAsserted(
              () ->
                  assertThat(client.status().nodes().get(2).state().orElseThrow().refusal())
                      .hasValueSatisfying(
                          reason -> assertThat(reason).contains("another disk", "node replace")));
      assertThat(node("replace", address(2)))
          .endsWith("The node at " + address(2) + " has its replicas again.\n");
      awaitServing(nodes.get(2));
      assertThat(node("replace", address(2)))
          .contains("Node n3 runs on the disk that is registered for it", "move its directories")
          .doesNotContain("again.");
      // It is one of a majority now.
      nodes.get(1).close();
      client.put("after", "v");
      assertThat(client.get("while")).contains("emptied");
      for (int i = 0; i < KEYS; i++) {
        assertThat(client.get("k" + i)).contains("v" + i);
      }
    }
  }

  /** A node that took its own topology for that of another one would stay behind for ever. */
  @Test
  void aNodeWithoutRegion0FollowsTheTopologyAfterThatOfAnotherNodeFailed() throws IOException {
    start(4, "cluster.replicas = 3, placement.policy = none");
    try (QuorateClient client = client()) {
      node("drain", "n2");
      assertThat(regionsWithReplicaOn(client, "n2")).isEmpty();
      nodes.get(0).close();
      assertThat(node("drain", "--undo", "n2")).contains("Node n2 has its share of the replicas.");
      await()
          .atMost(TIMEOUT)
          .untilAsserted(
              () ->
                  assertThat(topologyVersion(client, "n2"))
                      .isEqualTo(topologyVersion(client, "n3"))
                      .isPresent());
    }
  }

  private static Optional<Long> topologyVersion(QuorateClient client, String node) {
    return client.status().nodes().stream()
        .filter(report -> report.id().equals(Optional.of(new NodeId(node))))
        .flatMap(report -> report.state().stream())
        .map(NodeState::topologyVersion)
        .findFirst();
  }

  private void startThreeOf(int count, String settings) throws IOException {
    configure(count, settings);
    for (int i = 0; i < 3; i++) {
      nodes.add(start(i, 3));
    }
    nodes.forEach(ClusterFixture::awaitServing);
  }

  private String address(int node) {
    return "127.0.0.1:" + cluster.clientPort(node);
  }

  private static Set<GroupId> regionsWithReplicaOn(QuorateClient client, String node) {
    Set<GroupId> regions = new TreeSet<>();
    await()
        .atMost(TIMEOUT)
        .until(
            () -> {
              regions.clear();
              client.status().nodes().stream()
                  .filter(report -> report.id().equals(Optional.of(new NodeId(node))))
                  .flatMap(report -> report.state().stream())
                  .flatMap(state -> state.replicas().stream())
                  .forEach(replica -> regions.add(replica.region().id()));
              return regions.isEmpty();
            });
    return regions;
  }

  /** Increments; each increment has its effect once. */
  private static long count(QuorateClient client, AtomicBoolean done) {
    long count = 0;
    while (!done.get()) {
      assertThat(client.incrementAndGet("counter", 1)).isEqualTo(++count);
    }
    return count;
  }
}
