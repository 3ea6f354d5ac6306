package io.quorate.torture.testbed.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.quorate.client.QuorateClient;
import io.quorate.server.localcluster.ClusterPlan.Shape;
import io.quorate.server.localcluster.Launch;
import io.quorate.server.localcluster.ProcessCluster;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
class SyncDelaysTest {
  private static final Duration SERVING_PATIENCE = Duration.ofSeconds(90);
  private static final byte[] ROW = "row".getBytes(StandardCharsets.UTF_8);

  /** Shorter than what a leader takes for a hung disk. */
  private static final Duration DELAY = Duration.ofMillis(400);

  @TempDir private Path directory;

  @BeforeEach
  void requireTheCompiler() {
    assumeTrue(SyncDelays.obstacle().isEmpty(), () -> SyncDelays.obstacle().orElseThrow());
  }

  /** A write waits for an fsync of the consensus log and, if it is synced, for one of RocksDB's. */
  @Test
  void aWriteWaitsForTheSyncsOfBothLogs() throws Exception {
    try (SyncDelays delays = SyncDelays.create();
        ProcessCluster cluster =
            ProcessCluster.temporary(
                directory,
                new Shape(1, 1, "raft"),
                UnaryOperator.identity(),
                node ->
                    new Launch(List.of(), delays.environment(), Map.of("storage.wal", "synced")))) {
      cluster.start();
      cluster.awaitServing(SERVING_PATIENCE);
      try (QuorateClient client = QuorateClient.connect(cluster.plan().clientAddresses())) {
        client.put(ROW, ROW);

        assertWaits(client, delays, DELAY, Duration.ZERO);
        assertWaits(client, delays, Duration.ZERO, DELAY);
        assertWaits(client, delays, DELAY, DELAY);
        delays.set(Duration.ZERO, Duration.ZERO);
      }
    }
    assertThat(directory).isEmptyDirectory();
  }

  private static void assertWaits(
      QuorateClient client, SyncDelays delays, Duration log, Duration data) throws IOException {
    delays.set(log, data);
    long start = System.nanoTime();

    client.put(ROW, ROW);

    assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(log.plus(data));
  }
}
