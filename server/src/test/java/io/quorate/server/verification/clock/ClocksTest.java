package io.quorate.server.verification.clock;

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
  void aJvmSeesItsClockJumpAndWaitsAsLongAsBefore() throws IOException {
    Clocks.obstacle().ifPresent(why -> Assumptions.abort("No clocks here: " + why));
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
      awaitAhead(ticks, Duration.ZERO);
      clocks.set(node.id(), Duration.ofHours(3));
      awaitAhead(ticks, Duration.ofHours(3));
      clocks.set(node.id(), Duration.ofHours(-2));
      awaitAhead(ticks, Duration.ofHours(-2));
    } finally {
      process.destroyForcibly();
    }
  }

  /** Reads ticks until one is as far ahead; none may have come too soon. */
  private static void awaitAhead(BufferedReader ticks, Duration ahead) throws IOException {
    while (true) {
      String line = ticks.readLine();
      assertThat(line).as("a tick").isNotNull();
      String[] fields = line.split(" ");
      long waitedMillis = Long.parseLong(fields[1]);
      assertThat(waitedMillis).isGreaterThanOrEqualTo(TickingProgram.TICK_MILLIS - 1);
      long aheadMillis = Long.parseLong(fields[0]) - System.currentTimeMillis();
      if (Math.abs(aheadMillis - ahead.toMillis()) < 60_000) {
        return;
      }
    }
  }
}
