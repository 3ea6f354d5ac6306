package io.quorate.benchmarks.paper.buc;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.benchmarks.cluster.Deployment;
import io.quorate.benchmarks.paper.QuickRun;
import io.quorate.benchmarks.paper.experiment.RunPlan;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.benchmarks.paper.experiment.Ycsb;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Every contender is the same cluster of one node, which starts fastest. */
@Timeout(400)
class BucCommandTest {
  private static final Deployment ONE = new Deployment("buc");
  private static final BucSystems.Trio TRIO =
      new BucSystems.Trio(
          new SystemUnderTest("raft", ONE),
          new SystemUnderTest("cr", ONE),
          new SystemUnderTest("buc", ONE));
  private static final BucSystems SYSTEMS =
      new BucSystems(
          Map.of(
              StorageVariant.TWO_LOGS,
              TRIO,
              StorageVariant.ONE_LOG,
              TRIO,
              StorageVariant.IN_MEMORY,
              TRIO));
  private static final BucScale TINY =
      new BucScale(
          1,
          50,
          List.of(
              new BucScale.Sweep(
                  StorageVariant.TWO_LOGS,
                  List.of(Ycsb.values()),
                  List.of(50),
                  List.of(50),
                  List.of(50, 100),
                  List.of(4096),
                  List.of(2)),
              new BucScale.Sweep(
                  StorageVariant.ONE_LOG,
                  List.of(Ycsb.LOAD),
                  List.of(),
                  List.of(),
                  List.of(),
                  List.of(),
                  List.of())),
          new RunPlan(
              2, Duration.ZERO, Duration.ofMillis(100), Duration.ofMillis(50), Duration.ZERO));

  @TempDir private Path directory;

  @Test
  void allFiguresAreMeasuredPrintedAndWrittenAndTheDataIsDeleted() throws IOException {
    QuickRun run = QuickRun.of(new BucCommand(SYSTEMS, TINY), directory);

    assertThat(run.output())
        .contains(
            "YCSB, storage.wal=on",
            "YCSB, default storage",
            "N=1, storage.wal=on, YCSB F, 64 clients, 50 keys, 1024 B",
            "scan p50 ms",
            "lag ms",
            "All loads together",
            "buc over raft, throughput, N=1, storage.wal=on, S50",
            "at least 1.62",
            "1 round(s) only",
            "load average");
    assertThat(run.json())
        .content()
        .contains(
            "\"experiment\": \"buc-deletes\"",
            "\"metric\": \"read-index-rate\"",
            "\"metric\": \"write-p99\"",
            "\"paper\": 1.62",
            "\"baseline\": \"raft\"");
    assertThat(run.out().resolve("buc.csv")).exists();
    assertThat(run.out().resolve("buc-ycsb-wal-throughput.png")).exists();
    assertThat(run.out().resolve("buc-ycsb-default-write-p50.svg")).exists();
    assertThat(run.out().resolve("buc.html")).content().contains("<svg", "YCSB E", "--quick");
  }
}
