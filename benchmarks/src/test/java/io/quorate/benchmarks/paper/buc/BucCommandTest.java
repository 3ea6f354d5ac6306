package io.quorate.benchmarks.paper.buc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.quorate.benchmarks.QuickRun;
import io.quorate.benchmarks.cluster.Deployment;
import io.quorate.benchmarks.paper.Evaluation;
import io.quorate.benchmarks.paper.PaperCommand;
import io.quorate.benchmarks.paper.experiment.Conditions;
import io.quorate.benchmarks.paper.experiment.RunPlan;
import io.quorate.benchmarks.paper.experiment.SyncLatency;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.benchmarks.paper.experiment.Ycsb;
import io.quorate.torture.testbed.disk.LimitedDevices;
import io.quorate.torture.testbed.disk.MemoryDirectory;
import io.quorate.torture.testbed.disk.NodeDevices;
import io.quorate.torture.testbed.disk.SyncDelays;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

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
              TRIO,
              StorageVariant.SYNCED,
              TRIO,
              StorageVariant.ON_DEVICES,
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
          List.of(
              new BucScale.ShareSweep(
                  StorageVariant.SYNCED,
                  List.of(Conditions.syncs(SyncLatency.both(Duration.ofMillis(4)))),
                  List.of(2)),
              new BucScale.ShareSweep(
                  StorageVariant.ON_DEVICES,
                  List.of(Conditions.device(new NodeDevices.Limit(4000, 200L << 20))),
                  List.of(2))),
          new RunPlan(
              2, Duration.ZERO, Duration.ofMillis(100), Duration.ofMillis(50), Duration.ZERO));

  @TempDir private Path directory;

  @Test
  @Tag("slow")
  void allFiguresAreMeasuredPrintedAndWrittenAndTheDataIsDeleted() throws IOException {
    QuickRun run = QuickRun.of(command(), directory);

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
    assertThat(run.output())
        .contains(canDelaySyncs() ? "INJECTED: the data is in memory" : "NOT MEASURED: ");
    assertThat(run.out().resolve("buc.html")).content().contains("<svg", "YCSB E", "--quick");
  }

  private static boolean canDelaySyncs() throws IOException {
    return SyncDelays.obstacle().isEmpty() && MemoryDirectory.obstacle().isEmpty();
  }

  @Test
  void theShareOfApplyIsMeasuredAlone() throws IOException {
    assumeTrue(canDelaySyncs(), "fsyncs cannot be delayed here");
    QuickRun run = QuickRun.of(command(), directory, "--only", ShareExperiment.NAME);

    assertThat(run.output())
        .contains(
            "gain × (1 - share)",
            "N=1, storage.wal=synced, puts, 2 clients, 50 keys, 1024 B, fsyncs of 4 ms (injected)")
        .doesNotContain("YCSB");
    assertThat(run.json())
        .content()
        .contains(
            "\"metric\": \"apply-share\"",
            "\"metric\": \"commit-to-apply\"",
            "\"metric\": \"write-mean\"",
            "\"metric\": \"cpu-of-machine\"");
    assertThat(run.out().resolve("buc-share-gain.png")).exists();
  }

  @Test
  @Tag("slow")
  void theShareOfApplyIsMeasuredOnLimitedDevices() throws IOException {
    Optional<String> obstacle = LimitedDevices.obstacle();
    assumeTrue(obstacle.isEmpty(), () -> "Devices cannot be limited here: " + obstacle);
    QuickRun run = QuickRun.of(command(), directory, "--only", ShareExperiment.DEVICES);

    assertThat(run.output())
        .contains(
            "N=1, storage.wal=synced on limited devices, puts, 2 clients, 50 keys, 1024 B,"
                + " devices of 4000 writes/s");
    assertThat(run.json()).content().contains("\"metric\": \"apply-share\"");
  }

  @Test
  void anUnknownExperimentIsRejected() {
    StringWriter errors = new StringWriter();

    int exitCode =
        new CommandLine(command())
            .setErr(new PrintWriter(errors))
            .execute("--only", "buc-share,buc-nothing");

    assertThat(exitCode).isEqualTo(2);
    assertThat(errors.toString())
        .startsWith(
            "There is no experiment buc-nothing in this evaluation; it has buc-ycsb, buc-writes,"
                + " buc-scans, buc-deletes, buc-values, buc-clients, buc-share,"
                + " buc-share-devices.");
  }

  private static PaperCommand command() {
    Evaluation tiny = new BucEvaluation(SYSTEMS, TINY);
    return new PaperCommand(tiny, tiny);
  }
}
