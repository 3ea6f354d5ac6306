package io.quorate.server.localcluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.client.QuorateClient;
import io.quorate.common.OpenFiles;
import io.quorate.server.localcluster.ClusterPlan.Shape;
import io.quorate.testing.EmbeddedCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(240)
class EmbeddedClusterTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  @TempDir private static Path directory;

  @ParameterizedTest
  @MethodSource("io.quorate.server.testing.Presets#onePerEngine")
  void aSingleNodeServes(String preset) {
    try (EmbeddedCluster cluster = EmbeddedCluster.start(1, preset);
        QuorateClient client = QuorateClient.connect(cluster.options())) {
      client.put("greeting", "hello");

      assertThat(client.get("greeting")).contains("hello");
      awaitAllUp(client, 1);
      assertThatThrownBy(() -> cluster.stopNode(1)).isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @ParameterizedTest
  @Tag("slow")
  @MethodSource("io.quorate.server.testing.Presets#onePerEngine")
  void nodesStopAndStartWithTheirData(String preset) {
    try (EmbeddedCluster cluster = EmbeddedCluster.start(3, preset);
        QuorateClient client = QuorateClient.connect(cluster.options())) {
      client.put("greeting", "hello");
      assertThat(client.get("greeting")).contains("hello");
      for (int node = 0; node < cluster.size(); node++) {
        cluster.stopNode(node);
        client.put("stopped", Integer.toString(node));
        cluster.startNode(node);
        awaitAllUp(client, 3);
      }
      assertThat(client.get("stopped")).contains("2");

      for (int node = 0; node < cluster.size(); node++) {
        cluster.stopNode(node);
      }
      for (int node = 0; node < cluster.size(); node++) {
        cluster.startNode(node);
      }
      awaitAllUp(client, 3);
      assertThat(client.get("stopped")).contains("2");
    }
  }

  @Test
  void twoClustersAreIndependent() {
    try (EmbeddedCluster first = EmbeddedCluster.start(1);
        EmbeddedCluster second = EmbeddedCluster.start(1);
        QuorateClient firstClient = QuorateClient.connect(first.options());
        QuorateClient secondClient = QuorateClient.connect(second.options())) {
      firstClient.put("greeting", "hello");

      assertThat(secondClient.get("greeting")).isEmpty();
      assertThat(firstClient.get("greeting")).contains("hello");
    }
  }

  @ParameterizedTest
  @MethodSource("io.quorate.server.testing.Presets#onePerEngine")
  void aClosedClusterLeavesNoThreadsAndNoFiles(String preset) throws IOException {
    // Libraries keep threads of their own, which the first cluster starts.
    EmbeddedCluster.start(3, preset).close();
    Set<String> threads = threads();
    Path own = Files.createDirectory(directory.resolve("closed-" + preset));

    EmbeddedNodes cluster = EmbeddedNodes.servingIn(own, new Shape(3, 1, preset));
    assertThat(threads()).isNotEqualTo(threads);
    assertThat(OpenFiles.below(own).isEmpty()).isEqualTo(!OpenFiles.areListed());
    cluster.close();
    cluster.close();

    await("the end of all threads")
        .atMost(TIMEOUT)
        .untilAsserted(() -> assertThat(threadsBesides(threads)).isEmpty());
    assertThat(own).doesNotExist();
    assertThat(OpenFiles.below(own)).isEmpty();
  }

  @Test
  void anInvalidClusterLeavesNoFiles() throws IOException {
    assertThatThrownBy(() -> EmbeddedCluster.start(0))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("from 1 to");

    Path own = Files.createDirectory(directory.resolve("impossible"));
    assertThatThrownBy(() -> EmbeddedNodes.servingIn(own, new Shape(0, 1, "raft")))
        .isInstanceOf(ClusterException.class);
    assertThat(own).doesNotExist();
  }

  private static void awaitAllUp(QuorateClient client, int nodes) {
    await("all nodes up")
        .atMost(TIMEOUT)
        .untilAsserted(
            () -> assertThat(client.status().nodes()).hasSize(nodes).allMatch(node -> node.isUp()));
  }

  /**
   * The names of all threads, with numbers replaced, except those of Awaitility, of the common pool
   * of the JVM, and of the timer that Ratis keeps from the first transfer of a leadership on.
   */
  private static Set<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(thread -> thread.getName().replaceAll("[0-9]+", "N"))
        .filter(name -> !name.startsWith("awaitility"))
        .filter(name -> !name.startsWith("ForkJoinPool.commonPool"))
        .filter(name -> !name.equals("timerN"))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> threadsBesides(Set<String> known) {
    Set<String> others = threads();
    others.removeAll(known);
    return others;
  }
}
