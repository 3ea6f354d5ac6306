package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.client.QuorateClient;
import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.NodeReport;
import io.quorate.client.cluster.NodeState;
import io.quorate.client.cluster.PlacementState;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.common.Failpoint;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.server.config.Preset;
import io.quorate.server.topology.RegionAssignment;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Clusters whose devices differ, or become slow. Each test has a cluster of its own. */
@ParameterizedClass(name = "{0}")
@MethodSource("presets")
class SlowDeviceTest extends ClusterFixture {
  private static final Failpoint SYNC = Failpoint.named("server.sync-watch.before-sync");
  private static final long SLOW_SYNC_MILLIS = 600;

  /** The data directories of nodes whose devices are slow. */
  private final Set<Path> slow = ConcurrentHashMap.newKeySet();

  static Stream<Preset> presets() {
    return presets("raft", "buc");
  }

  @AfterEach
  @Override
  void stop() {
    SYNC.off();
    super.stop();
  }

  private void delaySyncs() {
    SYNC.on(
        (failpoint, file) -> {
          if (slow.stream().anyMatch(((Path) file)::startsWith)) {
            try {
              TimeUnit.MILLISECONDS.sleep(SLOW_SYNC_MILLIS);
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          }
        });
  }

  private void slowDown(int... numbers) {
    for (int number : numbers) {
      slow.add(cluster.config(number, cluster.size()).node().data());
    }
  }

  private static Map<GroupId, NodeId> leaders(ClusterStatus status) {
    Map<GroupId, NodeId> leaders = new HashMap<>();
    for (NodeReport node : status.nodes()) {
      for (ReplicaState replica : node.state().map(NodeState::replicas).orElse(List.of())) {
        if (replica.serving()) {
          leaders.put(replica.region().id(), node.id().orElseThrow());
        }
      }
    }
    return leaders;
  }

  private static List<PlacementState.Decision> decisions(ClusterStatus status) {
    return status.nodes().stream()
        .flatMap(node -> node.state().flatMap(NodeState::placement).stream())
        .flatMap(placement -> placement.decisions().stream())
        .toList();
  }

  @Test
  void everyLeaderLeavesASlowDeviceAndReturnsWhenItIsWell() throws IOException {
    start(3, "cluster.regions = 6, placement.slow-recovery = 2s");
    delaySyncs();
    try (QuorateClient client = client()) {
      await().atMost(TIMEOUT).until(() -> leaders(client.status()).size() == 7);
      slowDown(0, 1);
      await()
          .atMost(TIMEOUT)
          .until(() -> Set.copyOf(leaders(client.status()).values()).equals(Set.of(n(3))));
      client.put("key", "value");
      await()
          .atMost(TIMEOUT)
          .untilAsserted(
              () ->
                  assertThat(decisions(client.status()))
                      .anyMatch(
                          decision ->
                              decision.reason().contains("has become slow")
                                  && decision.outcome().equals(Optional.of("completed"))));
      slow.clear();
      await()
          .atMost(TIMEOUT)
          .until(() -> Set.copyOf(leaders(client.status()).values()).size() == 3);
      assertThat(client.get("key")).contains("value");
    }
  }

  @Test
  @Tag("slow")
  void aReplicaLeavesWhereMostAreSlow() throws IOException {
    start(4, "cluster.replicas = 3");
    delaySyncs();
    try (QuorateClient client = client()) {
      client.put("key", "value");
      slowDown(0, 1);
      await()
          .atMost(TIMEOUT)
          .untilAsserted(
              () ->
                  assertThat(client.status().replicas(new GroupId(1)))
                      .extracting(replica -> replica.region().replicas())
                      .allMatch(replicas -> replicas.contains(n(4))));
      client.put("key", "next");
      assertThat(client.get("key")).contains("next");
    }
  }

  @Test
  void regionsBeginInProportionToTheSpeedsAndTheFastestLeads() throws IOException {
    configure(4, "cluster.replicas = 3, cluster.regions = 8, placement.policy = alor");
    for (int i = 0; i < 4; i++) {
      nodes.add(startWith(i, "placement.device-speed = " + (i == 3 ? "40MiB" : "10MiB")));
    }
    nodes.forEach(ClusterFixture::awaitServing);
    try (QuorateClient client = client()) {
      await()
          .atMost(TIMEOUT)
          .untilAsserted(
              () -> {
                Map<GroupId, NodeId> leaders = leaders(client.status());
                leaders.remove(RegionAssignment.METADATA);
                assertThat(leaders).hasSize(8);
                assertThat(leaders.values()).containsOnly(n(4));
              });
      client.put("key", "value");
      assertThat(client.get("key")).contains("value");
    }
  }

  /** The node with the leader of region 0 decides; when it ends, its successor does. */
  @Test
  @Tag("slow")
  void leadersLeaveASlowDeviceAlsoAfterTheNodeThatDecidedHasEnded() throws IOException {
    start(4, "cluster.replicas = 3, cluster.regions = 8, placement.policy = alor");
    delaySyncs();
    try (QuorateClient client = client()) {
      NodeId first =
          await().atMost(TIMEOUT).until(() -> deciding(client), Optional::isPresent).get();
      int firstNumber = Integer.parseInt(first.value().substring(1));
      nodes.get(firstNumber - 1).close();
      NodeId second =
          await()
              .atMost(TIMEOUT)
              .until(
                  () -> deciding(client),
                  node -> node.isPresent() && !node.equals(Optional.of(first)))
              .get();
      int slowNumber = IntStream.rangeClosed(1, 4).filter(i -> i != firstNumber).max().getAsInt();
      slowDown(slowNumber - 1);
      await()
          .atMost(TIMEOUT)
          .untilAsserted(
              () -> {
                Map<GroupId, NodeId> leaders = leaders(client.status());
                assertThat(leaders).hasSize(9);
                assertThat(leaders.values()).doesNotContain(n(slowNumber), first);
              });
      assertThat(second).isNotEqualTo(first);
      client.put("key", "value");
      assertThat(client.get("key")).contains("value");
    }
  }

  private static Optional<NodeId> deciding(QuorateClient client) {
    return client.status().nodes().stream()
        .filter(node -> node.state().flatMap(NodeState::placement).isPresent())
        .flatMap(node -> node.id().stream())
        .findFirst();
  }

  private static NodeId n(int number) {
    return new NodeId("n" + number);
  }
}
