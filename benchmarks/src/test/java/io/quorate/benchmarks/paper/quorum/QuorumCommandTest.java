package io.quorate.benchmarks.paper.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.benchmarks.QuickRun;
import io.quorate.benchmarks.cluster.Deployment;
import io.quorate.benchmarks.kv.KeyChoice;
import io.quorate.benchmarks.paper.Evaluation;
import io.quorate.benchmarks.paper.PaperCommand;
import io.quorate.benchmarks.paper.experiment.RunPlan;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.torture.testbed.process.CpuQuotas;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Every contender is the same cluster of two nodes: one leads, and the other can be slow. */
@Timeout(600)
@Tag("slow")
class QuorumCommandTest {
  private static final Deployment ONE = new Deployment("raft");
  private static final QuorumSystems SYSTEMS =
      new QuorumSystems(
          new SystemUnderTest("leader", ONE),
          new SystemUnderTest("local", ONE),
          new SystemUnderTest("quorum-simple", ONE),
          new SystemUnderTest("retry", ONE),
          new SystemUnderTest("strong", ONE),
          new SystemUnderTest("strong, by client", ONE),
          new SystemUnderTest("adaptive", ONE),
          percent -> new SystemUnderTest("mixed, " + percent, ONE));
  private static final QuorumScale TINY =
      new QuorumScale(
          2,
          false,
          50,
          List.of(80),
          List.of(0.5),
          List.of(1),
          List.of(KeyChoice.HOT_FIFTH),
          List.of(50),
          100,
          50,
          new RunPlan(
              1, Duration.ZERO, Duration.ofMillis(100), Duration.ofMillis(50), Duration.ZERO),
          new QuorumScale.OpenLoop(
              8,
              List.of(0.95),
              64,
              100,
              new RunPlan(
                  1,
                  Duration.ofMillis(50),
                  Duration.ofMillis(400),
                  Duration.ofMillis(50),
                  Duration.ZERO)));

  @TempDir private Path directory;

  @Test
  void allFiguresAreMeasuredPrintedAndWrittenAndTheDataIsDeleted() throws IOException {
    QuickRun run = QuickRun.of(command(), directory);

    assertThat(run.output())
        .contains("all processors for all nodes", "CPU at leader %", "reads at leader %");
    if (CpuQuotas.obstacle().isEmpty()) {
      assertThat(run.output())
          .contains(
              "100 % of a core each but one with 50 %",
              "strong over leader, throughput",
              "adaptive over mixed, 50",
              "open loop at 0.95",
              "quota at leader %",
              "strong over leader, write-mean",
              "Poisson process (seed 20260101");
      assertThat(run.out().resolve("quorum-open-loop-write-mean.png")).exists();
      assertThat(run.out().resolve("quorum-open-loop-quota-at-leader.png")).exists();
      assertThat(run.out().resolve("quorum-fractions-throughput.png")).exists();
    } else {
      assertThat(run.output()).contains("NOT MEASURED");
    }
    assertThat(run.out().resolve("quorum.csv")).content().contains("reads-at-leader");
    assertThat(run.out().resolve("quorum.html")).content().contains("leader or majority");
  }

  private static PaperCommand command() {
    Evaluation tiny = new QuorumEvaluation(SYSTEMS, TINY);
    return new PaperCommand(tiny, tiny);
  }
}
