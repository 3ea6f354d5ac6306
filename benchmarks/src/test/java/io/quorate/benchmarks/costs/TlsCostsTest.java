package io.quorate.benchmarks.costs;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.benchmarks.cluster.ProcessUse;
import io.quorate.benchmarks.report.Row;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class TlsCostsTest {
  private static LoadCosts measured(double throughput, double micros) {
    return new LoadCosts(throughput, new CallCosts(micros, 1, 1, 1, 1, 1, 0));
  }

  @Test
  void aFigureHasTheMedianOfTheRatiosOfItsRounds() {
    TlsCosts costs = new TlsCosts("costs", "raft");
    // The machine was busy in the second round.
    costs.add("put", measured(1000, 100), measured(900, 110));
    costs.add("put", measured(500, 300), measured(450, 360));
    costs.add("put", measured(1100, 100), measured(990, 120));

    Row without = row(costs, "raft", "cpu per call");
    assertThat(without.value()).isEqualTo(100);
    assertThat(without.ratio()).isEmpty();
    Row with = row(costs, "raft, TLS", "cpu per call");
    assertThat(with.value()).isEqualTo(120);
    assertThat(with.baseline()).contains("raft");
    assertThat(with.ratio()).hasValue(1.2);
    assertThat(row(costs, "raft, TLS", "throughput").ratio()).hasValue(0.9);
    assertThat(costs.table().render()).contains("put: cpu per call").contains("1.20");
  }

  private static Row row(TlsCosts costs, String system, String metric) {
    return costs.rows().stream()
        .filter(row -> row.preset().equals(system) && row.metric().equals(metric))
        .findFirst()
        .orElseThrow();
  }

  @Test
  @Tag("slow")
  @Timeout(600)
  void bothClustersAreMeasuredAndRemoved(@TempDir Path directory) throws Exception {
    Assumptions.assumeTrue(ProcessUse.isSupported());
    StringWriter output = new StringWriter();
    int exitCode =
        new CommandLine(new CostsCommand())
            .setOut(new PrintWriter(output))
            .execute(
                "--secure",
                "--nodes",
                "1",
                "--seconds",
                "1",
                "--warmup",
                "0",
                "--data",
                directory.toString());
    assertThat(exitCode).isZero();
    assertThat(output.toString()).contains("get, 256 clients, 1024 B: cpu per call");
    try (Stream<Path> left = Files.list(directory)) {
      assertThat(left).isEmpty();
    }
  }
}
