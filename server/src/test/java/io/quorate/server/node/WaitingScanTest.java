package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.Batch;
import io.quorate.client.ClientOptions;
import io.quorate.client.KeyValue;
import io.quorate.client.QuorateClient;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.common.Failpoint;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.server.testing.MemoryEngineProvider;
import io.quorate.server.testing.TestCluster;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A scan that waits until removals are applied does not occupy the only reader thread. */
class WaitingScanTest {
  private static final int DELETED = 9_000;
  private static final GroupId REGION = new GroupId(1);
  private static final Failpoint BEFORE_WRITE = Failpoint.named("storage.apply.before-write");

  @TempDir private Path directory;
  private final CountDownLatch release = new CountDownLatch(1);
  private QuorateNode node;
  private QuorateClient client;

  @BeforeEach
  void start() throws IOException {
    TestCluster cluster =
        new TestCluster(
            directory,
            1,
            """
            engine = memory, reply = at-commit, read-acceleration = on
            storage.scan = cost-model
            rpc.read-threads = 1
            """);
    node = QuorateNode.start(cluster.config(0), new MemoryEngineProvider(), WaitingScanTest::fatal);
    node.serving().toCompletableFuture().join();
    client =
        QuorateClient.connect(
            ClientOptions.builder(cluster.seeds()).attemptTimeout(Duration.ofSeconds(10)).build());
  }

  private static void fatal(RuntimeException failure) {
    throw failure;
  }

  @AfterEach
  void stop() {
    release.countDown();
    BEFORE_WRITE.off();
    client.close();
    node.close();
  }

  private static byte[] key(int number) {
    return "key%05d".formatted(number).getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private ReplicaState.Reads reads() {
    return client.status().nodes().get(0).state().orElseThrow().replicas().stream()
        .filter(replica -> replica.region().id().equals(REGION))
        .findFirst()
        .flatMap(ReplicaState::reads)
        .orElseThrow();
  }

  @Test
  void aWaitingScanOccupiesNoReaderThread() throws Exception {
    Batch rows = new Batch();
    Batch deletions = new Batch();
    for (int i = 0; i < DELETED; i++) {
      rows.put(key(i), bytes("v"));
      deletions.delete(key(i));
    }
    client.batch(rows);
    client.put("last", "row");
    // Until applying one position is measured to be cheaper than reading thousands of rows.
    await()
        .atMost(Duration.ofSeconds(60))
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(1))
        .until(
            () -> {
              client.put("any", "value");
              client.scan(KeyRange.ALL, 1000);
              ReplicaState.Reads reads = reads();
              return 4 * reads.applyNanos().orElse(0) < DELETED * reads.rowNanos().orElse(0);
            });
    BEFORE_WRITE.on(
        (point, region) -> {
          if (region.equals(REGION)) {
            awaitRelease();
          }
        });
    client.batch(deletions);

    AsyncQuorateClient async = client.async();
    CompletableFuture<List<KeyValue>> scan = async.scan(KeyRange.from(Key.wrap(key(0))), 1);
    assertThat(client.get("last")).contains("row");
    assertThat(client.get(key(0))).isEmpty();
    assertThat(scan).isNotDone();
    release.countDown();
    assertThat(scan.join()).extracting(KeyValue::keyText).containsExactly("last");
    assertThat(reads().relaxed()).isEqualTo(1);
    assertThat(reads().readIndex()).isPositive();
  }

  private void awaitRelease() {
    try {
      release.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
