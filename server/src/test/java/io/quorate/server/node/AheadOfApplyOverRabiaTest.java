package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.ClientOptions;
import io.quorate.client.KeyValue;
import io.quorate.client.QuorateClient;
import io.quorate.common.Failpoint;
import io.quorate.model.GroupId;
import io.quorate.server.testing.TestCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Responses at commit and reads ahead of apply, without leaders. */
@Timeout(120)
class AheadOfApplyOverRabiaTest {
  private static final int NODES = 3;
  private static final GroupId REGION = new GroupId(1);
  private static final Failpoint BEFORE_WRITE = Failpoint.named("storage.apply.before-write");

  @TempDir private Path directory;
  private final CountDownLatch release = new CountDownLatch(1);
  private final List<QuorateNode> nodes = new ArrayList<>();

  @AfterEach
  void stop() {
    release.countDown();
    BEFORE_WRITE.off();
    nodes.forEach(QuorateNode::close);
  }

  private void start(TestCluster cluster) {
    for (int i = 0; i < NODES; i++) {
      nodes.add(
          QuorateNode.start(
              cluster.config(i),
              Engines.available().get("rabia"),
              failure -> {
                throw failure;
              }));
    }
    for (QuorateNode node : nodes) {
      node.serving().toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
    }
  }

  /** With reads by consensus and by quorums. */
  @ParameterizedTest
  @ValueSource(strings = {"rabia", "acqr"})
  void writesAreAnsweredAndReadWhileNothingIsApplied(String preset) {
    TestCluster cluster =
        new TestCluster(
            directory, NODES, "preset = " + preset + ", reply = at-commit, read-acceleration = on");
    start(cluster);
    try (QuorateClient client =
        QuorateClient.connect(
            ClientOptions.builder(cluster.seeds())
                .attemptTimeout(Duration.ofSeconds(20))
                .build())) {
      client.put("k1", "before");
      BEFORE_WRITE.on(
          (point, region) -> {
            if (region.equals(REGION)) {
              awaitRelease();
            }
          });

      client.put("k1", "after");
      client.put("k2", "new");

      assertThat(client.get("k1")).contains("after");
      assertThat(client.get("k2")).contains("new");
      client.delete("k1");
      assertThat(client.get("k1")).isEmpty();
      assertThat(client.scanPrefix("k")).extracting(KeyValue::keyText).containsExactly("k2");

      // The result of this one depends on the state.
      CompletableFuture<Long> increment = client.async().incrementAndGet("n", 1);
      assertThat(client.get("k2")).contains("new");
      assertThat(increment).isNotDone();
      release.countDown();
      assertThat(increment.join()).isEqualTo(1);
    }
  }

  private void awaitRelease() {
    try {
      release.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
