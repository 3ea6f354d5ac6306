package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.client.QuorateClient;
import io.quorate.server.config.ServerConfig;
import io.quorate.server.config.StartupException;
import io.quorate.server.testing.TestCluster;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A data directory that was created with one engine is not opened with another. */
class EngineMismatchTest {
  @TempDir private Path directory;

  @ParameterizedTest
  @CsvSource({"rabia, raft", "raft, acqr"})
  void anotherEngineIsRejectedAndNoWriteIsLost(String preset, String other) throws IOException {
    TestCluster created = new TestCluster(directory, 1, "preset = " + preset);
    try (QuorateNode node = start(created.config(0));
        QuorateClient client = QuorateClient.connect(created.seeds())) {
      node.serving().toCompletableFuture().join();
      client.put("a", "1");
    }

    ServerConfig changed = new TestCluster(directory, 1, "preset = " + other).config(0);
    assertThatThrownBy(() -> start(changed))
        .isInstanceOf(StartupException.class)
        .hasMessageContaining("was made with engine = ")
        .hasMessageContaining("change the configuration back");

    try (QuorateNode node = start(created.config(0));
        QuorateClient client = QuorateClient.connect(created.seeds())) {
      node.serving().toCompletableFuture().join();
      assertThat(client.get("a")).contains("1");
    }
  }

  private static QuorateNode start(ServerConfig config) {
    return QuorateNode.start(
        config,
        Engines.available().get(config.mode().engine()),
        failure -> {
          throw failure;
        });
  }
}
