package io.quorate.benchmarks.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.benchmarks.QuickRun;
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

/** With the other databases that are installed or built already. */
@Timeout(600)
@Tag("slow")
class PeersSlowTest {
  private static final PeersScale TINY =
      new PeersScale(
          List.of(1, 16),
          16,
          100,
          1 << 10,
          List.of(new LargeValues(64 << 10, 16, 20), new LargeValues(1 << 20, 8, 10)),
          Duration.ofMillis(100),
          new RunPlan(
              2,
              Duration.ZERO,
              Duration.ofMillis(200),
              Duration.ofMillis(500),
              Duration.ofMinutes(5)));

  @TempDir private Path directory;

  @Test
  void whateverIsThereIsMeasuredBesideQuorateAndRemoved() throws IOException {
    QuickRun run =
        QuickRun.of(
            new PeersCommand(PeersCommand.everyContender(), TINY, TINY), directory, "--no-build");

    assertThat(run.output()).doesNotContain("does not serve", "NOT ALL MEASURED");
    String csv = Files.readString(run.out().resolve("peers.csv"));
    assertThat(csv)
        .contains(
            "peers-contenders,all,quorate-raft,,measured,1,",
            "peers-contenders,all,quorate-acqr,,measured,1,",
            "peers-contenders,all,etcd,,measured,",
            "cpu-per-call",
            "peers-limits,all,machine,,round-trip-p50,");
    csv.lines()
        .filter(line -> line.contains(",errors,"))
        .forEach(line -> assertThat(line).contains(",errors,0,"));
  }
}
