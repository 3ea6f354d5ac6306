package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.client.ClientOptions;
import io.quorate.client.QuorateClient;
import io.quorate.client.UnavailableException;
import io.quorate.model.Guarantee;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.protocol.wire.Status;
import io.quorate.server.testing.MemoryEngineProvider;
import io.quorate.server.testing.RawClient;
import io.quorate.server.testing.TestCluster;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * With {@code reads = lease}, at a leader that holds a lease and that no majority confirms: a read
 * that may depend on clocks is served, and one that may not is rejected.
 */
class LeaseReadsTest {
  private static final Key KEY = Key.utf8("k");

  @TempDir private static Path directory;
  private static TestCluster cluster;
  private static QuorateNode node;

  @BeforeAll
  static void start() throws IOException {
    cluster =
        new TestCluster(
            directory, 1, "engine = memory\nreads = lease\nmemory { lease-alone = on }");
    node =
        QuorateNode.start(
            cluster.config(0),
            new MemoryEngineProvider(),
            failure -> {
              throw failure;
            });
    node.serving().toCompletableFuture().join();
  }

  @AfterAll
  static void stop() {
    node.close();
  }

  @Test
  void aReadThatMustNotDependOnClocksIsNotServedByTheLease() throws IOException {
    try (RawClient client = RawClient.connect(node.clientPort())) {
      client.get(1, RawClient.to(1), Guarantee.LINEARIZABLE_IF_CLOCKS_BOUNDED, KEY);
      assertThat(client.receive().status()).isEqualTo(Status.OK);
      client.get(2, RawClient.to(1), Guarantee.LINEARIZABLE, KEY);
      assertThat(client.receive().status()).isEqualTo(Status.UNAVAILABLE);
      client.scan(3, RawClient.to(1), KeyRange.ALL, 10);
      assertThat(client.receive().status()).isEqualTo(Status.UNAVAILABLE);
    }
  }

  private static QuorateClient client(Duration deadline) {
    return QuorateClient.connect(ClientOptions.builder(cluster.seeds()).deadline(deadline).build());
  }

  @Test
  void readsWithTheDefaultGuaranteeAreServedByTheLease() {
    byte[] key = "counter".getBytes(StandardCharsets.UTF_8);
    try (QuorateClient client = client(Duration.ofSeconds(60))) {
      assertThat(client.get("absent")).isEmpty();
      assertThat(client.scan(KeyRange.of(Key.EMPTY, Key.wrap(new byte[] {1})))).isEmpty();
      assertThat(client.incrementAndGet(key, 3, true)).isEqualTo(3);
    }
    // The client retries until its deadline, which is therefore short.
    try (QuorateClient client = client(Duration.ofSeconds(60))) {
      QuorateClient strict = client.withDeadline(Duration.ofSeconds(1));
      assertThatThrownBy(() -> strict.get(key, Guarantee.LINEARIZABLE))
          .isInstanceOf(UnavailableException.class);
    }
  }
}
