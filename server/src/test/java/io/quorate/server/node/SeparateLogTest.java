package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.client.QuorateClient;
import io.quorate.common.DurableFiles;
import io.quorate.server.config.Preset;
import io.quorate.server.config.ServerConfig;
import io.quorate.server.config.StartupException;
import io.quorate.server.testing.TestCluster;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A node whose log has a directory of its own. */
class SeparateLogTest {
  @TempDir private Path directory;

  private static QuorateNode serve(ServerConfig config, String preset) {
    String engine = Preset.named(preset).orElseThrow().mode().engine();
    QuorateNode node =
        QuorateNode.start(
            config,
            Engines.available().get(engine),
            failure -> {
              throw failure;
            });
    node.serving().toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
    return node;
  }

  @ParameterizedTest
  @ValueSource(strings = {"raft", "acqr"})
  void theNodeKeepsItsLogThereAndNeedsIt(String preset) throws Exception {
    Path log = directory.resolve("log");
    TestCluster cluster =
        new TestCluster(
            directory.resolve("nodes"), 1, "preset = " + preset + "\nnode.log = \"" + log + "\"");
    ServerConfig config = cluster.config(0);
    assertThat(config.node().log()).isEqualTo(Optional.of(log));
    try (QuorateNode node = serve(config, preset);
        QuorateClient client = QuorateClient.connect(cluster.seeds())) {
      assertThat(node.clientPort()).isPositive();
      client.put("a", "1");
      assertThat(log.resolve("consensus")).isNotEmptyDirectory();
      assertThat(config.node().data().resolve("consensus")).doesNotExist();
    }
    try (QuorateNode node = serve(config, preset);
        QuorateClient client = QuorateClient.connect(cluster.seeds())) {
      assertThat(node.clientPort()).isPositive();
      assertThat(client.get("a")).contains("1");
    }

    DurableFiles.deleteTree(log);

    assertThatThrownBy(() -> serve(config, preset))
        .isInstanceOf(StartupException.class)
        .hasMessageContaining("(node.log) has no identity");
  }
}
