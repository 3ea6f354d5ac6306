package io.quorate.benchmarks.paper.alor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.quorate.benchmarks.QuickRun;
import io.quorate.benchmarks.paper.Evaluation;
import io.quorate.benchmarks.paper.PaperCommand;
import io.quorate.benchmarks.paper.experiment.RunPlan;
import io.quorate.torture.testbed.disk.LimitedDevices;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(600)
@Tag("slow")
class AlorCommandTest {
  private static final AlorScale TINY =
      new AlorScale(
          "1N2P",
          List.of(),
          List.of(),
          List.of(),
          2,
          200,
          8,
          4,
          new RunPlan(
              1, Duration.ZERO, Duration.ofMillis(100), Duration.ofMillis(50), Duration.ZERO));

  @TempDir private Path directory;

  @Test
  void allFiguresAreMeasuredPrintedAndWrittenAndTheDataIsDeleted() throws IOException {
    assumeThat(LimitedDevices.obstacle()).isEmpty();
    QuickRun run = QuickRun.of(command(), directory);

    assertThat(run.output())
        .contains(
            "Throughput over ed",
            "1N2P, alor",
            "N=3, 1N2P, Load, 8 clients, 600 keys, 1024 B",
            "leaders at slowest %",
            "alor over ed, throughput");
    assertThat(run.json())
        .content()
        .contains("\"experiment\": \"alor-overall\"", "\"metric\": \"leaders-at-slowest\"");
    assertThat(run.out().resolve("alor.csv")).exists();
    assertThat(run.out().resolve("alor-overall-throughput.png")).exists();
  }

  private static PaperCommand command() {
    Evaluation tiny = new AlorEvaluation(AlorSystems.ofPolicies(), TINY);
    return new PaperCommand(tiny, tiny);
  }
}
