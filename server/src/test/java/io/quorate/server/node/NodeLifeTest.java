package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.client.QuorateClient;
import io.quorate.client.wire.Status;
import io.quorate.consensus.Key;
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
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How a node starts, stops and is looked at. */
class NodeLifeTest {
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  @TempDir private Path directory;

  private TestCluster cluster(String more) throws IOException {
    return new TestCluster(directory, 1, "engine = memory\n" + more);
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
      // An answer is counted when it has been sent.
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
  void aFullDiskIsSaidAndReadsGoOn() throws IOException, InterruptedException {
    TestCluster cluster = cluster("");
    String full = "storage.free-space-min = 1024GiB";
    try (QuorateNode node = serve(cluster.config(0), new MemoryEngineProvider());
        RawClient client = RawClient.greeted(node.clientPort())) {
      client.write(1, RawClient.to(1), RawClient.put("a", "1"));
      assertThat(client.receive().status()).isEqualTo(Status.OK);
    }
    TestCluster again = cluster(full);
    try (QuorateNode node = serve(again.config(0), new MemoryEngineProvider());
        RawClient client = RawClient.greeted(node.clientPort())) {
      await().until(() -> http(node, "GET", "/health").statusCode() == 503);
      assertThat(http(node, "GET", "/health").body()).contains("storage.free-space-min");

      client.write(1, RawClient.to(1), RawClient.put("a", "2"));
      RawClient.Answer refused = client.receive();
      assertThat(refused.status()).isEqualTo(Status.UNAVAILABLE);
      assertThat(refused.failure().getMessage()).contains("storage.free-space-min");
      client.get(2, RawClient.to(1), Key.utf8("a"));
      assertThat(client.receive().status()).isEqualTo(Status.OK);
    }
  }

  @Test
  void closingAnswersWhatIsInFlightAndRefusesTheRest() throws Exception {
    CompletableFuture<Void> released = new CompletableFuture<>();
    TestCluster cluster = cluster("shutdown.drain-timeout = 20s");
    QuorateNode node = serve(cluster.config(0), new MemoryEngineProvider(released));
    RawClient client = RawClient.greeted(node.clientPort());
    client.write(1, RawClient.to(1), RawClient.put("a", "1"));
    client.get(2, RawClient.to(1), Key.utf8("a"));
    assertThat(client.receive().correlation()).isEqualTo(2);

    CompletableFuture<Void> closing = CompletableFuture.runAsync(node::close);
    await().until(() -> http(node, "GET", "/ready").statusCode() == 503);
    client.write(3, RawClient.to(1), RawClient.put("b", "1"));
    RawClient.Answer refused = client.receive();
    assertThat(refused.correlation()).isEqualTo(3);
    assertThat(refused.status()).isEqualTo(Status.UNAVAILABLE);
    assertThat(closing).isNotDone();
    released.complete(null);

    RawClient.Answer answer = client.receive();
    assertThat(answer.correlation()).isEqualTo(1);
    assertThat(answer.status()).isEqualTo(Status.OK);
    closing.get();
    client.close();
    assertThatThrownBy(() -> RawClient.silent(cluster.clientPort(0)))
        .isInstanceOf(IOException.class);
  }

  @Test
  void aWriteWithoutAnAnswerInTimeIsIndeterminate() throws IOException {
    CompletableFuture<Void> released = new CompletableFuture<>();
    TestCluster cluster = cluster("rpc.request-timeout = 200ms");
    try (QuorateNode node = serve(cluster.config(0), new MemoryEngineProvider(released));
        RawClient client = RawClient.greeted(node.clientPort())) {
      client.write(1, RawClient.to(1), RawClient.put("a", "1"));

      RawClient.Answer late = client.receive();
      assertThat(late.status()).isEqualTo(Status.INDETERMINATE);
      released.complete(null);
    }
  }

  @Test
  void moreThanFitsIsRefusedAtOnce() throws IOException {
    CompletableFuture<Void> released = new CompletableFuture<>();
    TestCluster cluster = cluster("rpc.connection-requests = 3");
    try (QuorateNode node = serve(cluster.config(0), new MemoryEngineProvider(released));
        RawClient client = RawClient.greeted(node.clientPort())) {
      for (int i = 1; i <= 4; i++) {
        client.write(i, RawClient.to(1), RawClient.put("a", "1"));
      }
      RawClient.Answer refused = client.receive();
      assertThat(refused.correlation()).isEqualTo(4);
      assertThat(refused.status()).isEqualTo(Status.OVERLOADED);
      assertThat(refused.failure().getRetryAfterMs()).isPositive();

      released.complete(null);
      for (int i = 1; i <= 3; i++) {
        assertThat(client.receive().status()).isEqualTo(Status.OK);
      }
      // An answer gives its place back when it has been sent.
      await()
          .until(
              () -> {
                client.write(5, RawClient.to(1), RawClient.put("a", "1"));
                return client.receive().status() == Status.OK;
              });
    }
  }

  @Test
  void aClientThatDoesNotReadItsAnswersIsBoundedAndThenClosed()
      throws IOException, InterruptedException {
    TestCluster cluster =
        cluster(
            """
            limits { value = 256KiB, batch = 64KiB, scan = 64KiB, scan-rows = 100, frame = 1MiB }
            rpc { connection-bytes = 1MiB, outbound = 64KiB, stall-timeout = 600ms }
            """);
    try (QuorateNode node = serve(cluster.config(0), new MemoryEngineProvider());
        RawClient client = RawClient.greeted(node.clientPort())) {
      client.write(0, RawClient.to(1), RawClient.put("a", "v".repeat(256 << 10)));
      assertThat(client.receive().status()).isEqualTo(Status.OK);
      // Goes on until the buffers in between are full and the server has lost its patience.
      assertThatThrownBy(
              () -> {
                for (int i = 1; i < Integer.MAX_VALUE; i++) {
                  client.get(i, RawClient.to(1), Key.utf8("a"));
                }
              })
          .isInstanceOf(IOException.class);
      await()
          .untilAsserted(
              () ->
                  assertThat(http(node, "GET", "/metrics").body())
                      .containsPattern("quorate_connections\\{[^}]*} 0.0")
                      .containsPattern("quorate_requests_in_flight\\{[^}]*} 0.0")
                      .containsPattern("quorate_requests_in_flight_bytes\\{[^}]*} 0.0")
                      .containsPattern("quorate_connections_broken_total\\{[^}]*} 1.0"));
      try (RawClient other = RawClient.greeted(node.clientPort())) {
        other.get(1, RawClient.to(1), Key.utf8("a"));
        assertThat(other.receive().status()).isEqualTo(Status.OK);
      }
    }
  }

  @Test
  void oneConnectionTooManyIsTurnedAway() throws IOException {
    TestCluster cluster = cluster("rpc.connections = 1");
    try (QuorateNode node = serve(cluster.config(0), new MemoryEngineProvider());
        RawClient first = RawClient.greeted(node.clientPort());
        RawClient second = RawClient.silent(node.clientPort())) {
      RawClient.Answer refused = second.receive();
      assertThat(refused.status()).isEqualTo(Status.OVERLOADED);
      assertThat(refused.failure().getMessage()).contains("rpc.connections");
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
  void anotherNodeInTheSameDirectoryIsRefused() throws IOException {
    TestCluster cluster = cluster("");
    TestCluster samePlace = cluster("");
    try (QuorateNode node = serve(cluster.config(0), new MemoryEngineProvider())) {
      assertThat(node.clientPort()).isPositive();
      assertThatThrownBy(() -> start(samePlace.config(0), new MemoryEngineProvider()))
          .isInstanceOf(StartupException.class)
          .hasMessageContaining("in use");
    }
  }

  @Test
  void theStoredMapHoldsOverAChangedConfiguration() throws IOException {
    serve(cluster("cluster.regions = 4").config(0), new MemoryEngineProvider()).close();

    TestCluster changed = cluster("cluster.regions = 2");
    try (QuorateNode node = serve(changed.config(0), new MemoryEngineProvider());
        RawClient client = RawClient.greeted(node.clientPort())) {
      client.get(1, RawClient.to(4), Key.wrap(new byte[] {(byte) 0xff}));
      assertThat(client.receive().status()).isEqualTo(Status.OK);
    }
  }

  @Test
  void closingTwiceIsClosingOnce() throws IOException {
    QuorateNode node = serve(cluster("").config(0), new MemoryEngineProvider());
    node.close();
    node.close();
    assertThat(node.serving().toCompletableFuture()).isCompleted();
  }
}
