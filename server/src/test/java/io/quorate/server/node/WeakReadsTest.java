package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.client.ClientOptions;
import io.quorate.client.ClientOptions.QuorumReads;
import io.quorate.client.InvalidRequestException;
import io.quorate.client.QuorateClient;
import io.quorate.consensus.Guarantee;
import io.quorate.server.testing.TestCluster;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clusters whose reads may miss what was acknowledged. */
class WeakReadsTest {
  private static final byte[] KEY = "k".getBytes(StandardCharsets.UTF_8);

  @TempDir Path directory;
  private final List<QuorateNode> nodes = new ArrayList<>();

  @AfterEach
  void stop() {
    nodes.forEach(QuorateNode::close);
  }

  @ParameterizedTest
  @ValueSource(strings = {"quorum", "local"})
  void whoAsksForLinearizabilityIsToldAndWhoAcceptsLessIsServed(String preset) throws IOException {
    TestCluster cluster = new TestCluster(directory, 3, "preset = " + preset);
    for (int i = 0; i < 3; i++) {
      nodes.add(
          QuorateNode.start(
              cluster.config(i),
              Engines.available().get("raft"),
              failure -> {
                throw failure;
              }));
    }
    for (QuorateNode node : nodes) {
      node.serving().toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
    }
    try (QuorateClient strict = QuorateClient.connect(ClientOptions.of(cluster.seeds()))) {
      strict.put("k", "v");
      assertThatThrownBy(() -> strict.get("k"))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("weakerReads");
      assertThatThrownBy(() -> strict.scan(KEY, 1)).isInstanceOf(InvalidRequestException.class);
      assertThat(strict.async().get(KEY, Guarantee.LOCAL).join()).isNotNull();
    }
    for (QuorumReads form : QuorumReads.values()) {
      ClientOptions options =
          ClientOptions.builder(cluster.seeds()).weakerReads(true).quorumReads(form).build();
      try (QuorateClient content = QuorateClient.connect(options)) {
        await()
            .atMost(Duration.ofSeconds(30))
            .untilAsserted(() -> assertThat(content.get("k")).contains("v"));
        assertThat(content.scan(KEY, 1)).hasSize(1);
      }
    }
  }
}
