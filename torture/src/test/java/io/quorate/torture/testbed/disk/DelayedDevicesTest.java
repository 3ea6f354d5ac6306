package io.quorate.torture.testbed.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.QuorateClient;
import io.quorate.server.localcluster.ClusterPlan.Shape;
import io.quorate.server.localcluster.ProcessCluster;
import io.quorate.torture.testbed.disk.NodeDevices.Limit;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
class DelayedDevicesTest {
  private static final Duration SERVING_PATIENCE = Duration.ofSeconds(90);
  @TempDir private Path directory;

  /** A write of a single node waits for one fsync of its log at least. */
  @Test
  void writesWaitForTheDelay() throws Exception {
    byte[] row = "row".getBytes(StandardCharsets.UTF_8);
    try (DelayedDevices devices = new DelayedDevices(directory)) {
      devices.limit(0, new Limit(10, 1 << 20));
      try (ProcessCluster cluster =
          ProcessCluster.temporary(
              directory,
              new Shape(1, 1, "raft"),
              UnaryOperator.identity(),
              node -> devices.launch(0))) {
        cluster.start();
        cluster.awaitServing(SERVING_PATIENCE);
        try (QuorateClient client = QuorateClient.connect(cluster.plan().clientAddresses())) {
          client.put(row, row);
          long start = System.nanoTime();

          client.put(row, row);

          assertThat(Duration.ofNanos(System.nanoTime() - start))
              .isGreaterThan(Duration.ofMillis(250));
          assertThat(cluster.nodes().get(0).plan().logFile()).content().contains("delay-at");
        }
      }
    }
    assertThat(directory).isEmptyDirectory();
  }
}
