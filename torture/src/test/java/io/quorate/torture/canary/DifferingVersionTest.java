package io.quorate.torture.canary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.client.ClientOptions;
import io.quorate.client.QuorateClient;
import io.quorate.client.cluster.NodeState;
import io.quorate.client.cluster.RegionVerification;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.server.localcluster.ClusterPlan;
import io.quorate.server.localcluster.ClusterPlan.Shape;
import io.quorate.server.localcluster.Launch;
import io.quorate.server.localcluster.NodePlan;
import io.quorate.server.localcluster.Ports;
import io.quorate.server.localcluster.ProcessCluster;
import io.quorate.torture.nemesis.arena.FailpointOrders;
import io.quorate.torture.testbed.agent.AgentJar;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One node of three has a version that applies commands differently. */
@Tag("slow")
@Timeout(400)
class DifferingVersionTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(90);
  private static final NodeId DIFFERENT = new NodeId("n3");
  private static final GroupId REGION = new GroupId(1);
  private static final int ROWS = 5_000;

  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"raft", "acqr"})
  void itsReplicaIsNamedAndNotServed(String preset) throws IOException {
    AgentJar agent = AgentJar.in(directory);
    ClusterPlan plan =
        ClusterPlan.of(
            directory.resolve("cluster"), "versions", new Shape(3, 1, preset), new Ports.Free());
    try (ProcessCluster cluster = ProcessCluster.of(plan, node -> launch(agent, node))) {
      cluster.start();
      cluster.awaitServing(TIMEOUT);
      try (QuorateClient client =
          QuorateClient.connect(
              ClientOptions.builder(plan.clientAddresses()).deadline(TIMEOUT).build())) {
        CompletableFuture.allOf(
                IntStream.range(0, ROWS)
                    .mapToObj(i -> client.async().put("key " + i, "value " + i))
                    .toArray(CompletableFuture<?>[]::new))
            .join();
        RegionVerification verification =
            new RegionVerification(REGION, client.verifyRegion(REGION));
        await()
            .atMost(TIMEOUT)
            .until(
                () -> {
                  verification.observe(client.status());
                  return verification.isOver();
                });
        assertThat(verification.differing()).containsExactly(DIFFERENT.value());
        await()
            .atMost(TIMEOUT)
            .until(
                () -> damage(client),
                damage -> damage.startsWith("The replica differs from n1 and n2 at "));
        for (int i = 0; i < ROWS; i++) {
          assertThat(client.get("key " + i)).contains("value " + i);
        }
      }
    }
  }

  private static Launch launch(AgentJar agent, NodePlan node) {
    Optional<String> flag =
        node.id().equals(DIFFERENT)
            ? Optional.of(
                agent.flag(FailpointOrders.file(node), Optional.of(Canary.APPLY_SKIPPED.defect())))
            : Optional.empty();
    return new Launch(flag.map(List::of).orElse(List.of()), Map.of());
  }

  /** What the node says of the replica that it has lost. */
  private static String damage(QuorateClient client) {
    return client.status().nodes().stream()
        .flatMap(report -> report.state().stream())
        .map(NodeState::damages)
        .flatMap(damages -> damages.values().stream())
        .findFirst()
        .orElse("");
  }
}
