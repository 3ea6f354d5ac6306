package io.quorate.server.localcluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.client.ClientOptions;
import io.quorate.client.QuorateClient;
import io.quorate.client.cluster.PlacementPreview;
import io.quorate.server.localcluster.ClusterPlan.Shape;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The logs of nodes while another node is down: they state the events, in a few lines. */
class NodeLogTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(90);
  private static final int LINES_MAX = 10;

  /** Time, level, thread, class, message. */
  private static final String EVENT = "\\S+Z +(INFO|WARN|ERROR) +\\[[^]]+] \\S+ - .*";

  private static final String WAITS =
      ".* needs 3 of them; waiting for n2 \\(.*n2.invalid.*\\), n3 \\(.*(refused|respond).*\\).*";

  /** The logging configuration of the server, not that of the tests. */
  private static final List<String> AS_SHIPPED =
      List.of("-Dlogback.configurationFile=io/quorate/server/logback.xml");

  @TempDir private Path directory;

  @Test
  @Tag("slow")
  void aRestartedNodeCausesAFewLinesInTheLogsOfTheOthers() throws IOException {
    try (ProcessCluster cluster =
        ProcessCluster.temporary(
            directory, new Shape(3, 2, "raft"), plan -> plan, new Launch(AS_SHIPPED, Map.of()))) {
      cluster.start();
      cluster.awaitServing(TIMEOUT);
      // On a machine under load an election may take longer than the default deadline.
      try (QuorateClient client =
          QuorateClient.connect(
              ClientOptions.builder(cluster.plan().clientAddresses()).deadline(TIMEOUT).build())) {
        client.put("a", "1");
        // A young cluster spreads its leaderships, whether or not a node restarts.
        await().atMost(TIMEOUT).until(() -> placementHasNothingToDo(client));
        NodeProcess killed = cluster.nodes().get(0);
        List<NodeProcess> others = cluster.nodes().subList(1, 3);
        List<Integer> before = others.stream().map(node -> lines(node).size()).toList();

        killed.kill();
        client.put("a", "2");
        await()
            .atMost(TIMEOUT)
            .until(
                () ->
                    others.stream()
                        .flatMap(node -> lines(node).stream())
                        .anyMatch(line -> line.contains("A follower does not respond peer=n1")));
        killed.start();
        cluster.awaitServing(TIMEOUT);

        for (int i = 0; i < others.size(); i++) {
          List<String> all = lines(others.get(i));
          assertThat(all).allMatch(line -> line.matches(EVENT));
          assertThat(all.subList(before.get(i), all.size())).hasSizeLessThanOrEqualTo(LINES_MAX);
        }
        assertThat(lines(killed).get(0))
            .contains("Starting version=")
            .contains("engine=\"raft\"", "reads=\"leader\"", "heapBytesMax=");
        assertThat(others)
            .anySatisfy(
                node ->
                    assertThat(lines(node))
                        .anyMatch(line -> line.contains("This node leads a region region=")));
      }
    }
  }

  /** Pods start one after the other, and their names do not resolve before they start. */
  @Test
  @Tag("slow")
  void aWaitingNodeLogsTheMissingNodesAndTheReasons() throws IOException {
    try (ProcessCluster cluster =
        ProcessCluster.temporary(
            directory,
            new Shape(3, 1, "raft"),
            plan -> plan.withHosts(id -> id.value().equals("n2") ? "n2.invalid" : ClusterPlan.HOST),
            new Launch(AS_SHIPPED, Map.of()))) {
      NodeProcess first = cluster.nodes().get(0);
      first.start();
      await()
          .atMost(TIMEOUT)
          .untilAsserted(() -> assertThat(lines(first)).anyMatch(line -> line.matches(WAITS)));
      assertThat(lines(first)).allMatch(line -> line.matches(EVENT)).hasSizeLessThan(LINES_MAX);
    }
  }

  private static boolean placementHasNothingToDo(QuorateClient client) {
    PlacementPreview preview = client.async().nodes().placement().join();
    return preview.changes().isEmpty() && preview.transfers().isEmpty();
  }

  private static List<String> lines(NodeProcess node) {
    try {
      return Files.readAllLines(node.plan().logFile());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
