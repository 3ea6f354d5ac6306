package io.quorate.server.dev;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.client.QuorateClient;
import io.quorate.client.testing.EmbeddedCluster;
import io.quorate.server.testing.Presets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(240)
class EmbeddedClusterTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

  static Stream<Arguments> sizesAndPresets() {
    return Stream.of(1, 3)
        .flatMap(nodes -> Presets.fewest().stream().map(preset -> Arguments.of(nodes, preset)));
  }

  @ParameterizedTest
  @MethodSource("sizesAndPresets")
  void whatIsPutIsThere(int nodes, String preset) {
    try (EmbeddedCluster cluster = EmbeddedCluster.start(nodes, preset);
        QuorateClient client = QuorateClient.connect(cluster.options())) {
      client.put("greeting", "hello");

      assertThat(client.get("greeting")).contains("hello");
      assertThat(client.status().nodes()).hasSize(nodes).allMatch(node -> node.isUp());
    }
  }

  @ParameterizedTest
  @MethodSource("io.quorate.server.testing.Presets#fewest")
  void nodesStopAndStartWithTheirData(String preset) {
    try (EmbeddedCluster cluster = EmbeddedCluster.start(3, preset);
        QuorateClient client = QuorateClient.connect(cluster.options())) {
      for (int node = 0; node < cluster.size(); node++) {
        cluster.stopNode(node);
        client.put("stopped", Integer.toString(node));
        cluster.startNode(node);
        awaitAllUp(client);
      }
      assertThat(client.get("stopped")).contains("2");

      for (int node = 0; node < cluster.size(); node++) {
        cluster.stopNode(node);
      }
      for (int node = 0; node < cluster.size(); node++) {
        cluster.startNode(node);
      }
      awaitAllUp(client);
      assertThat(client.get("stopped")).contains("2");
    }
  }

  @Test
  void twoClustersKeepApart() {
    try (EmbeddedCluster one = EmbeddedCluster.start(1);
        EmbeddedCluster other = EmbeddedCluster.start(1);
        QuorateClient ofOne = QuorateClient.connect(one.options());
        QuorateClient ofOther = QuorateClient.connect(other.options())) {
      ofOne.put("greeting", "hello");

      assertThat(ofOther.get("greeting")).isEmpty();
      assertThat(ofOne.get("greeting")).contains("hello");
    }
  }

  @ParameterizedTest
  @MethodSource("io.quorate.server.testing.Presets#fewest")
  void aClosedClusterLeavesNoThreadsAndNoFiles(String preset) throws IOException {
    // Libraries keep threads of their own, which the first cluster brings.
    EmbeddedCluster.start(3, preset).close();
    Set<String> threads = threads();
    Set<Path> directories = directories();

    EmbeddedCluster cluster = EmbeddedCluster.start(3, preset);
    assertThat(threads()).isNotEqualTo(threads);
    assertThat(directories()).hasSize(directories.size() + 1);
    assertThat(openFiles().isEmpty()).isEqualTo(!Files.exists(DESCRIPTORS));
    cluster.close();
    cluster.close();

    await("the end of all threads")
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(threads()).isSubsetOf(threads));
    assertThat(directories()).isEqualTo(directories);
    assertThat(openFiles()).isEmpty();
  }

  @Test
  void whatCannotBeLeavesNothing() throws IOException {
    Set<Path> directories = directories();

    assertThatThrownBy(() -> EmbeddedCluster.start(0))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("from 1 to");
    assertThat(directories()).isEqualTo(directories);
  }

  @Test
  void thereIsNoFourthNodeOfThree() {
    try (EmbeddedCluster cluster = EmbeddedCluster.start(1)) {
      assertThatThrownBy(() -> cluster.stopNode(1)).isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  private static void awaitAllUp(QuorateClient client) {
    await("all nodes up")
        .atMost(PATIENCE)
        .until(() -> client.status().nodes().stream().allMatch(node -> node.isUp()));
  }

  /** The threads that run but for the one that waits, with numbers taken out of their names. */
  private static Set<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(thread -> thread.getName().replaceAll("[0-9]+", "N"))
        .filter(name -> !name.startsWith("awaitility"))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<Path> directories() throws IOException {
    try (Stream<Path> entries = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
      return entries
          .filter(path -> path.getFileName().toString().startsWith("quorate-"))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  /** What this process has open in directories of embedded clusters, where the system tells. */
  private static Set<Path> openFiles() throws IOException {
    Set<Path> files = new TreeSet<>();
    if (!Files.exists(DESCRIPTORS)) {
      return files;
    }
    try (Stream<Path> descriptors = Files.list(DESCRIPTORS)) {
      for (Path descriptor : descriptors.toList()) {
        if (Files.isSymbolicLink(descriptor)) {
          Path file = Files.readSymbolicLink(descriptor);
          if (file.toString().contains("quorate-")) {
            files.add(file);
          }
        }
      }
    }
    return files;
  }
}
