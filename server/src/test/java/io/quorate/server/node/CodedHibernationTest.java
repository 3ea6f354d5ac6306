package io.quorate.server.node;

import static org.awaitility.Awaitility.await;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.QuorateClient;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Regions with large values that are not in use hibernate, and lose no redundancy. */
@ParameterizedClass(name = "{0}")
@MethodSource("presets")
class CodedHibernationTest extends CodedFixture {
  private static final GroupId REGION = new GroupId(1);

  @Test
  @Tag("slow")
  void bodiesAreReadRestoredAndMovedInARegionThatHibernates() throws IOException {
    start(
        4,
        """
        cluster.replicas = 3
        placement.policy = none
        raft.hibernate-after = 2s
        raft.groups-running-min = 0
        storage.body-repair-interval = 200ms
        storage.body-scrub-interval = 200ms
        """);
    try (QuorateClient client = client()) {
      AsyncQuorateClient async = client.async();
      putValues(async);
      awaitHibernation(client, REGION, 3);
      assertValues(async);
      awaitHibernation(client, REGION, 3);

      nodes.get(1).close();
      for (Path file : bodyFiles(1)) {
        Files.delete(file);
      }
      nodes.set(1, start(1));
      awaitServing(nodes.get(1));
      await().atMost(TIMEOUT).until(() -> isIntact(client, new NodeId("n2")));
      awaitHibernation(client, REGION, 3);

      client.moveReplica(REGION, new NodeId("n1"), new NodeId("n4"));
      awaitAssigned(client, REGION, new NodeId("n4"), new NodeId("n2"), new NodeId("n3"));
      nodes.get(2).close();
      assertValues(async);
    }
  }

  /** Whether a node holds something of each value. */
  private static boolean isIntact(QuorateClient client, NodeId node) {
    return client.status().nodes().stream()
        .filter(report -> report.id().filter(node::equals).isPresent())
        .flatMap(report -> report.replica(REGION).stream())
        .flatMap(replica -> replica.bodies().stream())
        .anyMatch(held -> held.degraded() == 0 && held.fragments() + held.complete() == KEYS);
  }
}
