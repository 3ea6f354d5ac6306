package io.quorate.torture.testbed.clock;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.server.localcluster.ClusterPlan;
import io.quorate.server.localcluster.ClusterPlan.Shape;
import io.quorate.server.localcluster.NodePlan;
import io.quorate.server.localcluster.Ports;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class ClocksTest {
  @TempDir private Path directory;

  @Test
  void aClockJumpChangesTheTimeOfAJvmAndNotItsWaits() throws IOException {
    Clocks.obstacle().ifPresent(reason -> Assumptions.abort("No clocks here: " + reason));
    NodePlan node =
        ClusterPlan.of(directory, "clocks", new Shape(1, 1, "raft"), new Ports.Free())
            .nodes()
            .get(0);
    Clocks clocks = Clocks.create();
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            TickingProgram.class.getName());
    builder.environment().putAll(clocks.environment(node));
    Process process = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try (BufferedReader ticks =
        new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
      awaitOffset(ticks, Duration.ZERO);
      clocks.set(node.id(), Duration.ofHours(3));
      awaitOffset(ticks, Duration.ofHours(3));
      clocks.set(node.id(), Duration.ofHours(-2));
      awaitOffset(ticks, Duration.ofHours(-2));
    } finally {
      process.destroyForcibly();
    }
  }

  /** Reads ticks until one has the offset; no tick may be early. */
  private static void awaitOffset(BufferedReader ticks, Duration offset) throws IOException {
    while (true) {
      String line = ticks.readLine();
      assertThat(line).as("a tick").isNotNull();
      String[] fields = line.split(" ");
      long waitedMillis = Long.parseLong(fields[1]);
      assertThat(waitedMillis).isGreaterThanOrEqualTo(TickingProgram.TICK_MILLIS - 1);
      long offsetMillis = Long.parseLong(fields[0]) - System.currentTimeMillis();
      if (Math.abs(offsetMillis - offset.toMillis()) < 60_000) {
        return;
      }
    }
  }
}
