package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.client.QuorateClient;
import io.quorate.client.QuorateException;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.server.config.Preset;
import io.quorate.server.node.replicas.ReplicaPoints;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** A replica cannot be removed on the node that serves region 0, which plans for all others. */
@ParameterizedClass(name = "{0}")
@MethodSource("presets")
class StuckRemovalTest extends ClusterFixture {
  private static final GroupId METADATA = new GroupId(0);
  private static final GroupId ONE = new GroupId(1);
  private static final GroupId TWO = new GroupId(2);
  private static final int REPLICAS = 3;
  private static final List<NodeId> NODES =
      Stream.of("n1", "n2", "n3", "n4").map(NodeId::new).toList();

  static Stream<Preset> presets() {
    return presets("raft", "");
  }

  @AfterEach
  @Override
  void stop() {
    ReplicaPoints.WITHDRAWN.off();
    super.stop();
  }

  @Test
  void otherReplicasMoveMeanwhile() throws IOException {
    start(
        NODES.size(),
        "placement.policy = none\ncluster.regions = 2\ncluster.replicas = " + REPLICAS);
    try (QuorateClient client = client()) {
      client.put("k", "v");
      NodeId planning = serving(client, METADATA);
      GroupId stuck =
          Stream.of(ONE, TWO)
              .filter(region -> assigned(client, region).contains(planning))
              .findFirst()
              .orElseThrow();
      ReplicaPoints.WITHDRAWN.on(
          (point, region) -> {
            if (region.equals(stuck)) {
              throw new IOException("not now");
            }
          });
      move(client, stuck, planning);
      lead(client, planning);
      GroupId other = stuck.equals(ONE) ? TWO : ONE;
      NodeId leaving =
          assigned(client, other).stream()
              .filter(node -> !node.equals(planning))
              .findFirst()
              .orElseThrow();
      move(client, other, leaving);
      assertThat(client.get("k")).contains("v");
    }
  }

  /** To the node without a replica of the region. */
  private static void move(QuorateClient client, GroupId region, NodeId from) {
    await().atMost(TIMEOUT).until(() -> assigned(client, region).size() == REPLICAS);
    Set<NodeId> before = assigned(client, region);
    NodeId to = NODES.stream().filter(node -> !before.contains(node)).findFirst().orElseThrow();
    client.moveReplica(region, from, to);
    await()
        .atMost(TIMEOUT)
        .until(
            () -> assigned(client, region), after -> after.contains(to) && !after.contains(from));
  }

  private static void lead(QuorateClient client, NodeId planning) {
    await()
        .atMost(TIMEOUT)
        .ignoreExceptionsInstanceOf(QuorateException.class)
        .until(
            () -> {
              if (!serving(client, METADATA).equals(planning)) {
                client.transferLeader(METADATA, planning);
              }
              return true;
            });
  }

  private static NodeId serving(QuorateClient client, GroupId region) {
    return await()
        .atMost(TIMEOUT)
        .until(
            () ->
                client.status().nodes().stream()
                    .filter(node -> node.replica(region).filter(ReplicaState::serving).isPresent())
                    .flatMap(node -> node.id().stream())
                    .findFirst(),
            Optional::isPresent)
        .get();
  }

  /** The nodes with replicas in the topology, as the replica that serves the region knows it. */
  private static Set<NodeId> assigned(QuorateClient client, GroupId region) {
    return client.status().replicas(region).stream()
        .filter(ReplicaState::serving)
        .flatMap(replica -> replica.region().replicas().stream())
        .collect(Collectors.toSet());
  }
}
