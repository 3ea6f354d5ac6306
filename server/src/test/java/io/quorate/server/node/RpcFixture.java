package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.model.Key;
import io.quorate.protocol.wire.Status;
import io.quorate.server.testing.MemoryEngineProvider;
import io.quorate.server.testing.RawClient;
import io.quorate.server.testing.RawClient.Response;
import io.quorate.server.testing.TestCluster;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A client of a real node, over real sockets. */
abstract class RpcFixture {

  @TempDir private static Path directory;
  static QuorateNode node;

  RawClient client;

  @BeforeAll
  static void startNode() throws IOException {
    node =
        start(
            "node",
            """
            engine = memory
            cluster.split-keys = [ "m" ]
            limits { value = 64KiB, batch = 64KiB, batch-operations = 100, scan = 64KiB, frame = 1MiB }
            limits.scan-rows = 3
            rpc.connection-bytes = 1MiB
            """);
  }

  static QuorateNode start(String name, String settings) {
    TestCluster cluster = new TestCluster(directory.resolve(name), 1, settings);
    QuorateNode started =
        QuorateNode.start(cluster.config(0), new MemoryEngineProvider(), RpcFixture::fatal);
    started.serving().toCompletableFuture().join();
    return started;
  }

  private static void fatal(RuntimeException failure) {
    throw failure;
  }

  @AfterAll
  static void stopNode() {
    node.close();
  }

  @BeforeEach
  void connect() throws IOException {
    client = RawClient.connect(node.clientPort());
  }

  /** The node still serves, whatever the test did to its connection. */
  @AfterEach
  void theNodeStillServes() throws IOException {
    client.close();
    try (RawClient other = RawClient.connect(node.clientPort())) {
      other.write(1, RawClient.to(1), RawClient.put("alive", "yes"));
      assertThat(other.receive().status()).isEqualTo(Status.OK);
    }
  }

  void assertFailure(long correlation, Status status, String message) throws IOException {
    Response response = client.receive();
    assertThat(response.correlation()).isEqualTo(correlation);
    assertThat(response.status()).isEqualTo(status);
    assertThat(response.failure().getMessage()).contains(message);
  }

  Response assertOk(long correlation) throws IOException {
    Response response = client.receive();
    assertThat(response.correlation()).isEqualTo(correlation);
    assertThat(response.status()).isEqualTo(Status.OK);
    return response;
  }

  /** Requires that the connection is still open. */
  void assertStillServed() throws IOException {
    client.get(99, RawClient.to(1), Key.utf8("absent"));
    assertOk(99);
  }
}
