package io.quorate.benchmarks.paper.acqr;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.benchmarks.QuickRun;
import io.quorate.benchmarks.cluster.Deployment;
import io.quorate.benchmarks.paper.Evaluation;
import io.quorate.benchmarks.paper.PaperCommand;
import io.quorate.benchmarks.paper.experiment.RunPlan;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Every contender is the same cluster of one node, which starts fastest. */
@Timeout(400)
class AcqrCommandTest {
  private static final Deployment ONE = new Deployment("raft");
  private static final AcqrSystems SYSTEMS =
      new AcqrSystems(
          new SystemUnderTest("published", ONE),
          new SystemUnderTest("owned", ONE),
          new SystemUnderTest("by node", ONE),
          new SystemUnderTest("by client", ONE),
          new SystemUnderTest("raft", ONE));
  private static final AcqrScale TINY =
      new AcqrScale(
          List.of(
              new AcqrScale.Sweep(
                  1, List.of(1, 2), List.of(0.95), List.of(1), List.of(Duration.ofMillis(2)))),
          new RunPlan(
              2, Duration.ZERO, Duration.ofMillis(50), Duration.ofMillis(50), Duration.ZERO));

  @TempDir private Path directory;

  @Test
  @Tag("slow")
  void allFiguresAreMeasuredPrintedAndWrittenAndTheDataIsDeleted() throws IOException {
    QuickRun run = QuickRun.of(command(), directory);

    assertThat(run.output())
        .contains(
            "Share of reads",
            "  by client",
            "in-process delay",
            "verdict",
            "1 round(s) only",
            "load average");
    assertThat(run.json())
        .content()
        .contains(
            "\"experiment\": \"acqr-wide-area\"", "\"paper\": 1.7", "\"baseline\": \"owned\"");
    assertThat(run.out().resolve("acqr.csv")).exists();
    assertThat(run.out().resolve("acqr-clients-n1-read-p50.png")).exists();
    assertThat(run.out().resolve("acqr.html")).content().contains("<svg", "by client", "--quick");
  }

  private static PaperCommand command() {
    Evaluation tiny = new AcqrEvaluation(SYSTEMS, TINY);
    return new PaperCommand(tiny, tiny);
  }
}
