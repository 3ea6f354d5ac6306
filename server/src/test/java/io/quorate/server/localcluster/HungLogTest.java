package io.quorate.server.localcluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.client.ClientOptions;
import io.quorate.client.QuorateClient;
import io.quorate.server.localcluster.ClusterPlan.Shape;
import io.quorate.server.localcluster.ServerJvm.Lifetime;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node whose standard error is a pipe that nobody reads. */
@Timeout(300)
class HungLogTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(90);

  /** Of the 64 KiB of a pipe; lines leave gaps in its pages. */
  private static final int FULL_BYTES_MIN = 32 << 10;

  private static final int PUTS = 300;

  @TempDir private Path directory;

  @Test
  void theNodeServesAndStops() throws IOException, InterruptedException {
    ClusterPlan plan =
        ClusterPlan.of(directory, "hung-log", new Shape(1, 1, "raft"), new Ports.Free());
    plan.writeConfigurations();
    NodePlan node = plan.nodes().get(0);
    Files.createDirectories(node.scratchDirectory());
    ProcessBuilder builder =
        new ProcessBuilder(
            ServerJvm.command(
                node,
                Lifetime.OF_PARENT,
                new Launch(
                    List.of("-Dlogback.configurationFile=io/quorate/server/logback.xml"),
                    Map.of())));
    builder.environment().put("QUORATE_LOG", "TRACE");
    builder.environment().put("QUORATE_RATIS_LOG", "TRACE");
    builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
    Process process = builder.start();
    try (InputStream log = process.getErrorStream();
        QuorateClient client =
            QuorateClient.connect(
                ClientOptions.builder(plan.clientAddresses()).deadline(TIMEOUT).build())) {
      for (int i = 0; i < PUTS; i++) {
        client.put("key", "value " + i);
      }
      await("the pipe is full")
          .atMost(TIMEOUT)
          .until(log::available, available -> available > FULL_BYTES_MIN);
      for (int i = 0; i < PUTS; i++) {
        client.put("key", "later " + i);
      }
      assertThat(client.get("key")).contains("later " + (PUTS - 1));
      process.destroy();
      assertThat(process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    } finally {
      process.destroyForcibly();
    }
  }
}
