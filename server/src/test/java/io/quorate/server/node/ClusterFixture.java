package io.quorate.server.node;

import io.quorate.client.ClientOptions;
import io.quorate.client.QuorateClient;
import io.quorate.consensus.ConsensusEngineProvider;
import io.quorate.server.config.Preset;
import io.quorate.server.testing.TestCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** A cluster of nodes in this process, under one preset, for the tests of a class. */
abstract class ClusterFixture {
  static final Duration PATIENCE = Duration.ofSeconds(30);

  @Parameter Preset preset;
  @TempDir Path directory;
  final List<QuorateNode> nodes = new ArrayList<>();
  TestCluster cluster;

  void start(int count, String more) throws IOException {
    cluster =
        new TestCluster(
            directory,
            count,
            """
            preset = %s
            raft { election-timeout-min = 500ms, election-timeout-max = 1s }
            %s
            """
                .formatted(preset.name(), more));
    for (int i = 0; i < count; i++) {
      nodes.add(start(i));
    }
    for (QuorateNode node : nodes) {
      node.serving().toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
    }
  }

  QuorateNode start(int number) {
    ConsensusEngineProvider engine = Engines.available().get(preset.knobs().engine());
    return QuorateNode.start(
        cluster.config(number),
        engine,
        failure -> {
          throw failure;
        });
  }

  QuorateClient client() {
    return QuorateClient.connect(ClientOptions.builder(cluster.seeds()).deadline(PATIENCE).build());
  }

  @AfterEach
  void stop() {
    CompletableFuture.allOf(
            nodes.stream()
                .map(node -> CompletableFuture.runAsync(node::close))
                .toArray(CompletableFuture[]::new))
        .join();
  }
}
