package io.quorate.benchmarks.paper.measurement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.benchmarks.cluster.Deployment;
import io.quorate.benchmarks.kv.CallKind;
import io.quorate.benchmarks.kv.KeyChoice;
import io.quorate.benchmarks.kv.KeySpace;
import io.quorate.benchmarks.kv.Mix;
import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.ClientLoad;
import io.quorate.benchmarks.paper.experiment.Clusters;
import io.quorate.benchmarks.paper.experiment.Conditions;
import io.quorate.benchmarks.paper.experiment.DataMedium;
import io.quorate.benchmarks.paper.experiment.Observation;
import io.quorate.benchmarks.paper.experiment.RunPlan;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.benchmarks.paper.result.Results;
import io.quorate.benchmarks.paper.testbed.BandwidthLimit;
import io.quorate.client.cli.terminal.ProgressLine;
import io.quorate.server.localcluster.ClusterException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class InterleavedRunnerTest {
  private static final RunPlan SHORT =
      new RunPlan(1, Duration.ZERO, Duration.ofMillis(20), Duration.ofMillis(20), Duration.ZERO);
  private static final Case SERVES =
      writes("serves", new SystemUnderTest("raft", new Deployment("raft", Map.of())));
  private static final Case FAILS =
      writes(
          "fails",
          new SystemUnderTest(
              "broken", new Deployment("raft", Map.of("raft.coded.timeout", "never"))));

  @TempDir private Path data;

  @Test
  void aSetupThatFailsKeepsTheFiguresOfTheOthers() throws IOException, InterruptedException {
    Results results = measure(List.of(SERVES, FAILS));

    assertThat(results.cases()).containsExactly(SERVES);
    assertThat(results.failures())
        .singleElement()
        .asString()
        .startsWith("NOT ALL MEASURED of N=1, fails, because of a failure: ")
        .contains("raft.coded.timeout");
  }

  @Test
  void theFirstSetupThatFailsEndsTheRun() {
    assertThatThrownBy(() -> measure(List.of(FAILS, SERVES)))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("raft.coded.timeout");
  }

  private Results measure(List<Case> cases) throws IOException, InterruptedException {
    try (ProgressLine progress = ProgressLine.onStandardError()) {
      return new InterleavedRunner(SHORT, data, BandwidthLimit.SYSTEM, progress).measure(cases);
    }
  }

  private static Case writes(String setup, SystemUnderTest system) {
    return new Case(
        "test",
        new Clusters(setup, 1, DataMedium.DISK),
        Conditions.PLAIN,
        new ClientLoad("writes", Mix.of(CallKind.PUT), KeyChoice.UNIFORM, 1, new KeySpace(2), 8),
        List.of(system),
        Observation.CALLS);
  }
}
