package io.quorate.server.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.ClientOptions;
import io.quorate.client.QuorateClient;
import io.quorate.model.Guarantee;
import io.quorate.model.Key;
import io.quorate.model.Position;
import io.quorate.protocol.wire.DataFrames;
import io.quorate.protocol.wire.Status;
import io.quorate.server.config.ServerConfig;
import io.quorate.server.config.ServerConfigParser;
import io.quorate.server.testing.RawClient;
import io.quorate.server.testing.RawClient.Response;
import io.quorate.server.testing.TestCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes with different {@code limits}, as during a rolling change of the configuration. */
class DifferentLimitsTest {
  private static final Key KEY = Key.utf8("list");
  private static final byte[] PART = "x".repeat(300).getBytes(UTF_8);
  private static final int[] VALUE_BYTES_MAX = {1024, 2048, 4096};

  @TempDir Path directory;
  private final List<QuorateNode> nodes = new ArrayList<>();
  private TestCluster cluster;

  private void start() throws IOException {
    cluster = new TestCluster(directory, VALUE_BYTES_MAX.length, "shutdown.transfer-timeout = 1s");
    for (int i = 0; i < VALUE_BYTES_MAX.length; i++) {
      ServerConfig config =
          new ServerConfigParser(Engines.available().keySet())
              .parseText(cluster.text(i) + "\nquorate.limits.value = " + VALUE_BYTES_MAX[i] + "B");
      nodes.add(
          QuorateNode.start(
              config,
              Engines.available().get("raft"),
              failure -> {
                throw failure;
              }));
    }
    for (QuorateNode node : nodes) {
      node.serving().toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
    }
  }

  @AfterEach
  void stop() {
    nodes.parallelStream().forEach(QuorateNode::close);
  }

  /** The length of the value at a replica, at a position or later, whichever node leads. */
  private int length(int node, Position at) throws IOException {
    try (RawClient client = RawClient.connect(cluster.clientPort(node))) {
      client.get(1, RawClient.to(1), new Guarantee.AtLeast(at), KEY);
      Response response = client.receive();
      assertThat(response.status()).isEqualTo(Status.OK);
      DataFrames.readPosition(response.body());
      return DataFrames.readValue(response.body()).orElseThrow().length;
    }
  }

  @Test
  void appendsHaveTheSameEffectAtEveryReplica() throws IOException {
    start();
    try (QuorateClient client =
        QuorateClient.connect(
            ClientOptions.builder(cluster.seeds()).deadline(Duration.ofSeconds(60)).build())) {
      for (int i = 0; i < 20; i++) {
        client.append(KEY.bytes(), PART);
      }
      Position last = client.append(KEY.bytes(), PART);
      List<Integer> lengths = new ArrayList<>();
      for (int i = 0; i < VALUE_BYTES_MAX.length; i++) {
        lengths.add(length(i, last));
      }
      assertThat(lengths).containsOnly(lengths.get(0));
      // Bounded by the limit of the leader, which may be any of the nodes.
      assertThat(lengths.get(0)).isBetween(900, 3900);
    }
  }
}
