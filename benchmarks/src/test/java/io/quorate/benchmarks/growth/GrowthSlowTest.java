package io.quorate.benchmarks.growth;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.benchmarks.QuickRun;
import io.quorate.benchmarks.cluster.ProcessUse;
import io.quorate.benchmarks.paper.experiment.RunPlan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(600)
@Tag("slow")
class GrowthSlowTest {
  private static final GrowthScale TINY =
      new GrowthScale(
          List.of(1, 3),
          3,
          List.of(30),
          8,
          100,
          Duration.ZERO,
          Duration.ofMillis(20),
          new RunPlan(
              2,
              Duration.ofMillis(50),
              Duration.ofMillis(300),
              Duration.ofMillis(500),
              Duration.ofMinutes(5)));

  @TempDir private Path directory;

  @Test
  void everyClusterIsMeasuredAndRemoved() throws IOException {
    QuickRun run = QuickRun.of(new GrowthCommand(TINY, TINY), directory);

    assertThat(run.output()).doesNotContain("NOT MEASURED", "NOT ALL MEASURED");
    String csv = Files.readString(run.out().resolve("growth.csv"));
    assertThat(csv)
        .contains(
            "growth-regions-in-use,\"N=3, put, all regions in use",
            "growth-regions,\"N=3, get, one region in use",
            "growth-connections,\"N=3, put, one region",
            ",3 regions,",
            ",30 idle connections,");
    if (ProcessUse.isSupported()) {
      assertThat(csv)
          .contains(
              "growth-memory,at rest,1 region,,rss,",
              "growth-memory,at rest,3 regions,,region,",
              "growth-memory,at rest,30 idle connections,,connection,");
    }
    csv.lines()
        .filter(line -> line.contains(",errors,"))
        .forEach(line -> assertThat(line).contains(",errors,0,"));
  }
}
