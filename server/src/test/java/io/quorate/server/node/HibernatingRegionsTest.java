package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.client.QuorateClient;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.server.config.Preset;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Regions that are not in use hibernate, and serve whatever uses them. */
@Tag("slow")
@ParameterizedClass(name = "{0}")
@MethodSource("presets")
class HibernatingRegionsTest extends ClusterFixture {
  private static final GroupId METADATA = new GroupId(0);
  private static final GroupId REGION = new GroupId(1);
  private static final NodeId N1 = new NodeId("n1");
  private static final NodeId N4 = new NodeId("n4");

  /** Reads by the leader, and by any replica. */
  static Stream<Preset> presets() {
    return presets("raft", "quorum");
  }

  @Test
  void aRegionThatHibernatesIsReadWrittenAndMoved() throws IOException {
    start(
        4,
        """
        cluster.replicas = 3
        placement.policy = none
        raft.hibernate-after = 3s
        raft.groups-running-min = 0
        """);
    try (QuorateClient client = client()) {
      client.put("k", "v");
      awaitHibernation(client, REGION, 3);
      assertThat(client.status().replicas(METADATA)).noneMatch(ReplicaState::hibernating);

      assertThat(client.get("k")).contains("v");
      awaitHibernation(client, REGION, 3);
      client.put("k", "w");
      awaitHibernation(client, REGION, 3);

      client.moveReplica(REGION, N1, N4);
      await()
          .atMost(TIMEOUT)
          .until(
              () ->
                  client.status().replicas(REGION).stream()
                      .allMatch(replica -> isOn(replica, N4) && !isOn(replica, N1)));
      assertThat(client.get("k")).contains("w");
      awaitHibernation(client, REGION, 3);

      stop();
      for (int i = 0; i < nodes.size(); i++) {
        nodes.set(i, start(i));
      }
      awaitHibernation(client, REGION, 3);
      assertThat(client.get("k")).contains("w");
    }
  }

  /** Cold rows are compared too. */
  @Test
  void aRegionThatHibernatesIsVerified() throws IOException {
    start(
        3,
        """
        raft.hibernate-after = 3s
        raft.groups-running-min = 0
        """);
    try (QuorateClient client = client()) {
      client.put("k", "v");
      awaitHibernation(client, REGION, 3);
    }
    String table = command("verify");
    assertThat(table.lines().filter(line -> line.endsWith("equal on n1, n2, n3")))
        .as(table)
        .hasSize(2);
  }

  @Test
  void aRegionThatHibernatesIsComparedBySchedule() throws IOException {
    start(
        3,
        """
        raft.hibernate-after = 3s
        raft.groups-running-min = 0
        storage.digest-interval = 20s
        """);
    try (QuorateClient client = client()) {
      client.put("k", "v");
      awaitHibernation(client, REGION, 3);
      long asleep = client.status().replicas(REGION).get(0).applied();
      await()
          .atMost(TIMEOUT)
          .until(
              () -> digests(client),
              digests ->
                  digests.size() == 3
                      && digests.stream().allMatch(digest -> digest.position().index() > asleep));
    }
  }

  private static List<ReplicaState.Digest> digests(QuorateClient client) {
    return client.status().replicas(REGION).stream()
        .flatMap(replica -> replica.digest().stream())
        .toList();
  }

  private static boolean isOn(ReplicaState replica, NodeId node) {
    return replica.region().replicas().contains(node);
  }
}
