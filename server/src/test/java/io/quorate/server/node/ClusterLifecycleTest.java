package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.QuorateClient;
import io.quorate.client.cluster.NodeReport;
import io.quorate.server.config.Preset;
import io.quorate.server.config.StartupException;
import io.quorate.server.testing.Presets;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Starts, stops and restarts of nodes of a cluster, through the real client. */
@ParameterizedClass(name = "{0}")
@MethodSource("presets")
class ClusterLifecycleTest extends ClusterFixture {

  static Stream<Preset> presets() {
    return Presets.onePerEngine().stream().map(name -> Preset.named(name).orElseThrow());
  }

  @Test
  void aNodeWithoutTheMetadataReadsTheTopologyFromTheOthers() throws IOException {
    start(6, "cluster.regions = 2");
    try (QuorateClient client = client()) {
      client.put("a", "1");
      assertThat(client.get("a")).contains("1");
      await()
          .atMost(TIMEOUT)
          .untilAsserted(
              () ->
                  assertThat(client.async().status().join().nodes())
                      .hasSize(6)
                      .allMatch(NodeReport::isUp));
    }
  }

  @Test
  void restartedNodesLoseNoAcknowledgedWrite() throws Exception {
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
        awaitServing(nodes.get(i));
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
    configure(1, "");
    int port = cluster.consensusPort(0);
    try (ServerSocket taken = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      assertThat(taken.isBound()).isTrue();
      assertThatThrownBy(() -> start(0))
          .isInstanceOf(StartupException.class)
          .hasMessageContaining("consensus-port of node n1: 127.0.0.1:" + port);
    }
    nodes.add(start(0));
    awaitServing(nodes.get(0));
  }

  private static void awaitMore(AtomicInteger acknowledged) {
    int before = acknowledged.get();
    await().atMost(TIMEOUT).until(() -> acknowledged.get() > before + 20);
  }
}
