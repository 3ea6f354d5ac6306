package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.client.NodeToNode;
import io.quorate.client.QuorateClient;
import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.TrafficSample;
import io.quorate.model.Key;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Preamble;
import io.quorate.protocol.wire.Status;
import io.quorate.protocol.wire.v1.Hello;
import io.quorate.server.config.ServerConfig;
import io.quorate.server.config.StartupException;
import io.quorate.server.testing.MemoryEngineProvider;
import io.quorate.server.testing.RawClient;
import io.quorate.server.testing.TestCluster;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Start, stop, health and metrics of a node, and its bounds for clients. */
class NodeLifecycleTest {
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  @TempDir private Path directory;

  private TestCluster cluster(String settings) throws IOException {
    return new TestCluster(directory, 1, "engine = memory\n" + settings);
  }

  private static QuorateNode start(ServerConfig config, MemoryEngineProvider engine) {
    return QuorateNode.start(
        config,
        engine,
        failure -> {
          throw failure;
        });
  }

  private static QuorateNode serve(ServerConfig config, MemoryEngineProvider engine) {
    QuorateNode node = start(config, engine);
    node.serving().toCompletableFuture().join();
    return node;
  }

  private static HttpResponse<String> http(QuorateNode node, String method, String path)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + node.adminPort() + path))
            .method(method, HttpRequest.BodyPublishers.noBody())
            .build();
    return HTTP.send(request, HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void healthAndMetricsAreServed() throws IOException, InterruptedException {
    TestCluster cluster = cluster("");
    try (QuorateNode node = serve(cluster.config(0), new MemoryEngineProvider());
        QuorateClient client = QuorateClient.connect(cluster.seeds())) {
      client.put("a", "1");

      assertThat(http(node, "GET", "/health").statusCode()).isEqualTo(200);
      assertThat(http(node, "GET", "/ready").statusCode()).isEqualTo(200);
      // A request is counted when its response has been sent.
      await()
          .untilAsserted(
              () ->
                  assertThat(http(node, "GET", "/metrics").body())
                      .containsPattern(
                          "quorate_requests_total\\{.*node=\"n1\",request=\"write\",status=\"ok\"} 1.0")
                      .contains("quorate_connections{")
                      .contains("jvm_memory_used_bytes")
                      .contains("quorate_storage_rocksdb_memtable_bytes"));
      assertThat(http(node, "GET", "/nonsense").statusCode()).isEqualTo(404);
      assertThat(http(node, "POST", "/health").statusCode()).isEqualTo(405);
    }
  }

  @Test
  void trafficIsReportedToClientsThatRequestIt() throws IOException, InterruptedException {
    TestCluster cluster = cluster("");
    try (QuorateNode node = serve(cluster.config(0), new MemoryEngineProvider());
        QuorateClient client = QuorateClient.connect(cluster.seeds())) {
      client.put("a", "1");
      assertThat(client.get("a")).contains("1");
      List<TrafficSample> traffic =
          await()
              .atMost(Duration.ofSeconds(30))
              .until(
                  () -> traffic(NodeToNode.statusWithTraffic(client.async()).join()),
                  samples -> samples.stream().mapToLong(TrafficSample::reads).sum() > 0);
      assertThat(traffic.stream().mapToLong(TrafficSample::writes).sum()).isEqualTo(1);
      assertThat(traffic).allMatch(sample -> sample.failures() == 0);
      assertThat(traffic.stream().flatMap(sample -> sample.writeLatency().stream()))
          .singleElement()
          .matches(latency -> latency.meanMicros() > 0);
      assertThat(traffic(client.status())).isEmpty();
      assertThat(http(node, "GET", "/api/traffic").body()).startsWith("{\"node\": \"n1\"");
    }
  }

  private static List<TrafficSample> traffic(ClusterStatus status) {
    return status.nodes().get(0).state().orElseThrow().traffic();
  }

  @Test
  void aFullDiskIsReportedAndReadsAreServed() throws IOException, InterruptedException {
    TestCluster cluster = cluster("");
    String full = "storage.free-space-min = 1024GiB";
    try (QuorateNode node = serve(cluster.config(0), new MemoryEngineProvider());
        RawClient client = RawClient.connect(node.clientPort())) {
      client.write(1, RawClient.to(1), RawClient.put("a", "1"));
      assertThat(client.receive().status()).isEqualTo(Status.OK);
    }
    TestCluster withFullDisk = cluster(full);
    try (QuorateNode node = serve(withFullDisk.config(0), new MemoryEngineProvider());
        RawClient client = RawClient.connect(node.clientPort())) {
      await().until(() -> http(node, "GET", "/health").statusCode() == 503);
      assertThat(http(node, "GET", "/health").body()).contains("storage.free-space-min");

      client.write(1, RawClient.to(1), RawClient.put("a", "2"));
      RawClient.Response rejected = client.receive();
      assertThat(rejected.status()).isEqualTo(Status.UNAVAILABLE);
      assertThat(rejected.failure().getMessage()).contains("storage.free-space-min");
      client.get(2, RawClient.to(1), Key.utf8("a"));
      assertThat(client.receive().status()).isEqualTo(Status.OK);
    }
  }

  @Test
  void closeCompletesRequestsInFlightAndRejectsOthers() throws Exception {
    CompletableFuture<Void> released = new CompletableFuture<>();
    TestCluster cluster = cluster("shutdown.drain-timeout = 20s");
    QuorateNode node = serve(cluster.config(0), new MemoryEngineProvider(released));
    RawClient client = RawClient.connect(node.clientPort());
    client.write(1, RawClient.to(1), RawClient.put("a", "1"));
    client.get(2, RawClient.to(1), Key.utf8("a"));
    assertThat(client.receive().correlation()).isEqualTo(2);

    CompletableFuture<Void> closing = CompletableFuture.runAsync(node::close);
    await().until(() -> http(node, "GET", "/ready").statusCode() == 503);
    client.write(3, RawClient.to(1), RawClient.put("b", "1"));
    RawClient.Response rejected = client.receive();
    assertThat(rejected.correlation()).isEqualTo(3);
    assertThat(rejected.status()).isEqualTo(Status.UNAVAILABLE);
    assertThat(closing).isNotDone();
    released.complete(null);

    RawClient.Response response = client.receive();
    assertThat(response.correlation()).isEqualTo(1);
    assertThat(response.status()).isEqualTo(Status.OK);
    closing.get();
    client.close();
    assertThatThrownBy(() -> RawClient.withoutHandshake(cluster.clientPort(0)))
        .isInstanceOf(IOException.class);
  }

  @Test
  void aWriteThatTimesOutIsIndeterminate() throws IOException {
    CompletableFuture<Void> released = new CompletableFuture<>();
    TestCluster cluster = cluster("rpc.request-timeout = 200ms");
    try (QuorateNode node = serve(cluster.config(0), new MemoryEngineProvider(released));
        RawClient client = RawClient.connect(node.clientPort())) {
      client.write(1, RawClient.to(1), RawClient.put("a", "1"));

      RawClient.Response late = client.receive();
      assertThat(late.status()).isEqualTo(Status.INDETERMINATE);
      released.complete(null);
    }
  }

  @Test
  void requestsOverTheBoundAreRejectedAtOnce() throws IOException {
    CompletableFuture<Void> released = new CompletableFuture<>();
    TestCluster cluster = cluster("rpc.connection-requests = 3");
    try (QuorateNode node = serve(cluster.config(0), new MemoryEngineProvider(released));
        RawClient client = RawClient.connect(node.clientPort())) {
      for (int i = 1; i <= 4; i++) {
        client.write(i, RawClient.to(1), RawClient.put("a", "1"));
      }
      RawClient.Response rejected = client.receive();
      assertThat(rejected.correlation()).isEqualTo(4);
      assertThat(rejected.status()).isEqualTo(Status.OVERLOADED);
      assertThat(rejected.failure().getRetryAfterMs()).isPositive();

      released.complete(null);
      for (int i = 1; i <= 3; i++) {
        assertThat(client.receive().status()).isEqualTo(Status.OK);
      }
      // A request counts until its response has been sent.
      await()
          .until(
              () -> {
                client.write(5, RawClient.to(1), RawClient.put("a", "1"));
                return client.receive().status() == Status.OK;
              });
    }
  }

  @Test
  void aClientThatReadsNoResponsesIsBoundedAndThenDisconnected()
      throws IOException, InterruptedException {
    TestCluster cluster =
        cluster(
            """
            limits { value = 256KiB, batch = 64KiB, scan = 64KiB, scan-rows = 100, frame = 1MiB }
            rpc { connection-bytes = 1MiB, outbound = 64KiB, stall-timeout = 600ms }
            """);
    try (QuorateNode node = serve(cluster.config(0), new MemoryEngineProvider())) {
      // The node registers with itself, and keeps the connection.
      await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(
              () ->
                  assertThat(http(node, "GET", "/metrics").body())
                      .containsPattern("quorate_connections\\{[^}]*} 1.0"));
      try (RawClient client = RawClient.connect(node.clientPort())) {
        client.write(0, RawClient.to(1), RawClient.put("a", "v".repeat(256 << 10)));
        assertThat(client.receive().status()).isEqualTo(Status.OK);
        // Until the buffers in between are full and the server's stall timeout has passed.
        assertThatThrownBy(
                () -> {
                  for (int i = 1; i < Integer.MAX_VALUE; i++) {
                    client.get(i, RawClient.to(1), Key.utf8("a"));
                  }
                })
            .isInstanceOf(IOException.class);
      }
      await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(
              () ->
                  assertThat(http(node, "GET", "/metrics").body())
                      .containsPattern("quorate_connections\\{[^}]*} 1.0")
                      .containsPattern("quorate_requests_in_flight\\{[^}]*} 0.0")
                      .containsPattern("quorate_requests_in_flight_bytes\\{[^}]*} 0.0")
                      .containsPattern("quorate_connections_broken_total\\{[^}]*} 1.0"));
      try (RawClient other = RawClient.connect(node.clientPort())) {
        other.get(1, RawClient.to(1), Key.utf8("a"));
        assertThat(other.receive().status()).isEqualTo(Status.OK);
      }
    }
  }

  @Test
  void aConnectionOverTheBoundIsRejected() throws IOException {
    TestCluster cluster = cluster("rpc.connections = 1");
    try (QuorateNode node = serve(cluster.config(0), new MemoryEngineProvider());
        RawClient first = RawClient.connect(node.clientPort());
        RawClient second = RawClient.withoutHandshake(node.clientPort())) {
      second.sendPreamble(Preamble.current());
      // It has sent more than the node needs to refuse it.
      second.send(1, Opcode.HELLO.code(), Hello.getDefaultInstance().toByteArray());
      second.send(2, Opcode.STATUS.code(), new byte[0]);
      RawClient.Response rejected = second.receive();
      assertThat(rejected.status()).isEqualTo(Status.OVERLOADED);
      assertThat(rejected.failure().getMessage()).contains("rpc.connections");
      second.awaitClosed();
      first.get(1, RawClient.to(1), Key.utf8("a"));
      assertThat(first.receive().status()).isEqualTo(Status.OK);
    }
  }

  @Test
  void aPortInUseIsNamedWithItsKey() throws IOException {
    for (String key : new String[] {"client-port", "consensus-port", "admin-port"}) {
      TestCluster cluster = cluster("");
      int port =
          switch (key) {
            case "client-port" -> cluster.clientPort(0);
            case "consensus-port" -> cluster.consensusPort(0);
            default -> cluster.adminPort(0);
          };
      try (ServerSocket taken = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        assertThat(taken.isBound()).isTrue();
        assertThatThrownBy(() -> start(cluster.config(0), new MemoryEngineProvider()))
            .isInstanceOf(StartupException.class)
            .hasMessageContaining("." + key + " of node n1: 127.0.0.1:" + port);
      }
      serve(cluster.config(0), new MemoryEngineProvider()).close();
    }
  }

  @Test
  void aCalibrationThatCannotBeUsedIsNamedWithItsKey() throws IOException {
    Path empty = Files.writeString(directory.resolve("calibration"), "# no point");
    for (Path file : List.of(empty, directory.resolve("missing"))) {
      TestCluster cluster = cluster("placement { policy = alor, calibration = \"" + file + "\" }");
      assertThatThrownBy(() -> start(cluster.config(0), new MemoryEngineProvider()))
          .isInstanceOf(StartupException.class)
          .hasMessageContainingAll("placement.calibration", file.toString())
          .message()
          .endsWith(".");
    }
  }

  @Test
  void aSecondNodeInTheSameDirectoryIsRejected() throws IOException {
    TestCluster cluster = cluster("");
    TestCluster sameDirectory = cluster("");
    try (QuorateNode node = serve(cluster.config(0), new MemoryEngineProvider())) {
      assertThat(node.clientPort()).isPositive();
      assertThatThrownBy(() -> start(sameDirectory.config(0), new MemoryEngineProvider()))
          .isInstanceOf(StartupException.class)
          .hasMessageContaining("in use");
    }
  }

  @Test
  void theStoredTopologyTakesPrecedenceOverTheConfiguration() throws IOException {
    serve(cluster("cluster.regions = 4").config(0), new MemoryEngineProvider()).close();

    TestCluster changed = cluster("cluster.regions = 2");
    try (QuorateNode node = serve(changed.config(0), new MemoryEngineProvider());
        RawClient client = RawClient.connect(node.clientPort())) {
      client.get(1, RawClient.to(4), Key.wrap(new byte[] {(byte) 0xff}));
      assertThat(client.receive().status()).isEqualTo(Status.OK);
    }
  }

  @Test
  void closeIsIdempotent() throws IOException {
    QuorateNode node = serve(cluster("").config(0), new MemoryEngineProvider());
    node.close();
    node.close();
    assertThat(node.serving().toCompletableFuture()).isCompleted();
  }
}
