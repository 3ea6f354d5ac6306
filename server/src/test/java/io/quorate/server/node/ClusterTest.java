package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.ClientOptions;
import io.quorate.client.ClientOptions.QuorumReads;
import io.quorate.client.NodeReport;
import io.quorate.client.QuorateClient;
import io.quorate.client.wire.v1.Region;
import io.quorate.consensus.ConsensusEngineProvider;
import io.quorate.server.config.Preset;
import io.quorate.server.config.StartRefusal;
import io.quorate.server.testing.TestCluster;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Clusters of nodes in this process, under each preset, through the real client. */
@ParameterizedClass(name = "{0}")
@MethodSource("io.quorate.server.testing.Presets#linearizable")
class ClusterTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @Parameter private Preset preset;
  @TempDir private Path directory;
  private final List<QuorateNode> nodes = new ArrayList<>();
  private TestCluster cluster;

  private void start(int count, String more) throws IOException {
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

  private QuorateNode start(int number) {
    ConsensusEngineProvider engine = Engines.available().get(preset.knobs().engine());
    return QuorateNode.start(
        cluster.config(number),
        engine,
        failure -> {
          throw failure;
        });
  }

  private QuorateClient client() {
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

  @Test
  void threeNodesServeRegionsAndSpreadTheirLeaders() throws IOException {
    start(3, "cluster.split-keys = [ \"h\", \"p\" ]");
    try (QuorateClient client = client()) {
      for (String key : List.of("apple", "kiwi", "zebra")) {
        client.put(key, key + "!");
      }
      for (String key : List.of("apple", "kiwi", "zebra")) {
        assertThat(client.get(key)).contains(key + "!");
      }
      assertThat(client.incrementAndGet("kiwi-count", 5)).isEqualTo(5);
      byte[] counter = "kiwi-count".getBytes(StandardCharsets.UTF_8);
      assertThat(client.incrementAndGet(counter, 2, true)).isEqualTo(7);
      assertThat(client.async().scan(new byte[0], 10).join()).hasSize(4);

      String[] expected =
          hasLeaders() ? new String[] {"n1", "n2", "n3"} : new String[] {"", "", ""};
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(leaders(client)).containsExactlyInAnyOrder(expected));
    }
  }

  private boolean hasLeaders() {
    ConsensusEngineProvider engine = Engines.available().get(preset.knobs().engine());
    return engine.capabilities(cluster.config(0).engine()).hasLeader();
  }

  private static List<String> leaders(QuorateClient client) {
    return client.async().status().join().nodes().stream()
        .map(NodeReport::status)
        .flatMap(status -> status.stream())
        .limit(1)
        .flatMap(status -> status.getTopology().getRegionsList().stream())
        .map(Region::getLeader)
        .toList();
  }

  @Test
  void everyReplicaAndBothFormsOfReadsSeeWhatWasWrittenBefore() throws IOException {
    start(3, "");
    List<QuorateClient> clients = new ArrayList<>();
    try {
      for (int i = 0; i < 3; i++) {
        for (QuorumReads form : QuorumReads.values()) {
          // A client prefers one of the replicas, by chance.
          clients.add(
              QuorateClient.connect(
                  ClientOptions.builder(cluster.seeds())
                      .deadline(PATIENCE)
                      .quorumReads(form)
                      .build()));
        }
      }
      for (int i = 0; i < 60; i++) {
        String value = Integer.toString(i);
        clients.get(i % clients.size()).put("shared", value);
        for (QuorateClient client : clients) {
          assertThat(client.get("shared")).contains(value);
        }
      }
    } finally {
      clients.forEach(QuorateClient::close);
    }
  }

  @Test
  void aNodeWithoutTheMetadataLearnsTheMapFromTheOthers() throws IOException {
    start(6, "cluster.regions = 2");
    try (QuorateClient client = client()) {
      client.put("a", "1");
      assertThat(client.get("a")).contains("1");
      assertThat(client.async().status().join().nodes()).hasSize(6).allMatch(NodeReport::isUp);
    }
  }

  @Test
  void nodesThatStopAndReturnLoseNothingThatWasAcknowledged() throws Exception {
    start(3, "");
    AtomicInteger acknowledged = new AtomicInteger();
    AtomicBoolean done = new AtomicBoolean();
    byte[] counter = "counter".getBytes(StandardCharsets.UTF_8);
    try (QuorateClient client = client()) {
      AsyncQuorateClient async = client.async();
      CompletableFuture<Void> load =
          CompletableFuture.runAsync(
              () -> {
                while (!done.get()) {
                  async.incrementAndGet(counter, 1).join();
                  acknowledged.incrementAndGet();
                }
              });
      for (int i = 0; i < nodes.size(); i++) {
        awaitMore(acknowledged);
        nodes.get(i).close();
        awaitMore(acknowledged);
        nodes.set(i, start(i));
        nodes.get(i).serving().toCompletableFuture().join();
      }
      awaitMore(acknowledged);
      done.set(true);
      load.get();
      assertThat(client.get("counter")).contains(Integer.toString(acknowledged.get()));

      stop();
      for (int i = 0; i < nodes.size(); i++) {
        nodes.set(i, start(i));
      }
      assertThat(client.get("counter")).contains(Integer.toString(acknowledged.get()));
    }
  }

  @Test
  void aConsensusPortInUseIsNamedWithItsKey() throws IOException {
    cluster = new TestCluster(directory, 1, "preset = " + preset.name());
    int port = cluster.consensusPort(0);
    try (ServerSocket taken = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      assertThat(taken.isBound()).isTrue();
      assertThatThrownBy(() -> start(0))
          .isInstanceOf(StartRefusal.class)
          .hasMessageContaining("consensus-port of node n1: 127.0.0.1:" + port);
    }
    nodes.add(start(0));
    nodes.get(0).serving().toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
  }

  private static void awaitMore(AtomicInteger acknowledged) {
    int before = acknowledged.get();
    await().atMost(PATIENCE).until(() -> acknowledged.get() > before + 20);
  }
}
