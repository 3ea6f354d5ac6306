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
          List.of("raft", "acqr"),
          new GrowthScale.Sizes(List.of(1, 3), List.of(1, 2), List.of(30)),
          List.of(4, 8),
          100,
          2000,
          Duration.ZERO,
          Duration.ofMillis(20),
          RunPlan.ofMillis(2, 50, 300, 500, Duration.ofMinutes(5)));

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
            "\"raft, 3 regions\"",
            "\"acqr, 3 regions\"",
            "\"raft, 30 idle connections\"",
            ",fsyncs-per-second,");
    if (ProcessUse.isSupported()) {
      assertThat(csv)
          .contains(
              ",context-switches-per-call,",
              "growth-memory,at rest,\"raft, 1 region\",,rss,",
              "growth-memory,at rest,\"raft, 2 regions\",,region,",
              "growth-memory,at rest,\"raft, 30 idle connections\",,connection,");
      assertThat(run.out().resolve("growth-regions-in-use-put-context-switches-per-call.svg"))
          .exists();
    }
    csv.lines()
        .filter(line -> line.contains(",errors,"))
        .forEach(line -> assertThat(line).contains(",errors,0,"));
  }
}
