package io.quorate.benchmarks.paper.craft;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.benchmarks.QuickRun;
import io.quorate.benchmarks.cluster.Deployment;
import io.quorate.benchmarks.paper.Evaluation;
import io.quorate.benchmarks.paper.PaperCommand;
import io.quorate.benchmarks.paper.experiment.RunPlan;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.benchmarks.paper.testbed.SocketCounters;
import io.quorate.torture.testbed.network.LimitedNetwork;
import io.quorate.torture.testbed.network.Network;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Every contender is the same cluster of three nodes: one can stop. */
@Timeout(600)
@Tag("slow")
class CraftCommandTest {
  private static final Deployment ONE =
      new Deployment(
          "raft", Map.of("storage.flush-interval", "500ms", "raft.purge-interval", "500ms"));
  private static final CraftSystems SYSTEMS =
      new CraftSystems(
          new SystemUnderTest("raft", ONE),
          new SystemUnderTest("craft", ONE),
          new SystemUnderTest("rs-raft", ONE));
  private static final CraftScale TINY =
      new CraftScale(
          List.of(
              new CraftScale.Sweep(
                  3,
                  List.of(1024),
                  List.of(2048),
                  List.of(CraftSystems.LARGE_BYTES),
                  List.of(4096),
                  List.of(16384),
                  List.of(400))),
          new RunPlan(
              1, Duration.ZERO, Duration.ofMillis(100), Duration.ofMillis(50), Duration.ZERO));

  @TempDir private Path directory;

  @Test
  void allFiguresAreMeasuredPrintedAndWrittenAndTheDataIsDeleted() throws IOException {
    QuickRun run = QuickRun.of(command(), directory);

    assertThat(run.output())
        .contains(
            "Writes of one client",
            "N=3, writes, 100 clients, 1000 keys, 1024 B",
            "healthy nodes, writes, 100 clients, 1000 keys, 4096 B, 1 node stopped",
            "first read ms",
            "mean of ten ms",
            "craft over raft, throughput",
            "rs-raft over raft, throughput");
    assertThat(run.json())
        .content()
        .contains(
            "\"experiment\": \"craft-healthy-nodes\"",
            "\"metric\": \"first-read\"",
            "\"baseline\": \"raft\"");
    assertThat(run.out().resolve("craft.csv")).exists();
    assertThat(run.out().resolve("craft-throughput-n3-throughput.png")).exists();
    assertThat(run.out().resolve("craft-healthy-nodes-n3-throughput.svg")).exists();
    assertThat(run.out().resolve("craft.html")).content().contains("<svg", "--quick");
    if (LimitedNetwork.obstacle().isEmpty() || Network.obstacle().isEmpty()) {
      assertThat(run.output()).contains("N=3, 400 Mbit/s, writes, 1 client, 1000 keys, 2048 B");
      assertThat(run.out().resolve("craft-latency-n3-400mbit-write-p50.png")).exists();
    } else {
      assertThat(run.output()).contains("NOT MEASURED: nodes with limited bandwidth");
    }
    assertThat(run.output().contains("LIMITED BY RELAYS"))
        .isEqualTo(LimitedNetwork.obstacle().isPresent() && Network.obstacle().isEmpty());
    if (SocketCounters.obstacle().isEmpty()) {
      assertThat(run.output()).contains("leader sent KiB", "craft over raft, leader-sent");
      assertThat(run.json()).content().contains("\"metric\": \"follower-stored\"");
    } else {
      assertThat(run.output()).contains("NOT MEASURED: bytes");
    }
  }

  private static PaperCommand command() {
    Evaluation tiny = new CraftEvaluation(SYSTEMS, TINY);
    return new PaperCommand(tiny, tiny);
  }
}
