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
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.benchmarks.paper.result.Results;
import io.quorate.benchmarks.paper.testbed.BandwidthLimit;
import io.quorate.server.cli.terminal.ProgressLine;
import io.quorate.server.localcluster.ClusterException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class InterleavedRunnerTest {
  private static final RunPlan SHORT =
      new RunPlan(1, Duration.ZERO, Duration.ofMillis(20), Duration.ofMillis(20), Duration.ZERO);
  private static final RunPlan OPEN =
      new RunPlan(
          1, Duration.ofMillis(100), Duration.ofSeconds(1), Duration.ofMillis(200), Duration.ZERO);
  private static final Case SERVES =
      writes("serves", new SystemUnderTest("raft", new Deployment("raft", Map.of())));
  private static final Case FAILS =
      writes(
          "fails",
          new SystemUnderTest(
              "broken", new Deployment("raft", Map.of("raft.coded.timeout", "never"))));

  @TempDir private Path data;

  @Test
  @Tag("slow")
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

  /** The directory of a cluster exists while it runs. */
  @Test
  @Tag("slow")
  void oneClusterRunsAtATimeIfDemandedAndTheOthersAreMeasuredIfOneFails()
      throws IOException, InterruptedException {
    SystemUnderTest first = SERVES.contenders().get(0);
    SystemUnderTest sharing = new SystemUnderTest("sharing", first.deployment());
    SystemUnderTest broken = FAILS.contenders().get(0);
    SystemUnderTest last =
        new SystemUnderTest("last", new Deployment("raft", Map.of("raft.coded.timeout", "5s")));
    Case one =
        new Case(
            "test",
            Clusters.oneAtATime(1),
            Conditions.PLAIN,
            SERVES.load(),
            List.of(first, sharing, broken, last),
            Observation.CALLS);

    int clustersMax;
    Results results;
    try (Directories clusters = new Directories(data)) {
      results = measure(List.of(one));
      clustersMax = clusters.countMax();
    }

    assertThat(clustersMax).isEqualTo(1);
    for (SystemUnderTest measured : List.of(first, sharing, last)) {
      assertThat(results.of(one, measured, Metric.THROUGHPUT)).as(measured.name()).isPresent();
    }
    assertThat(results.of(one, last, Metric.LOAD_AVERAGE)).isPresent();
    assertThat(results.failures())
        .singleElement()
        .asString()
        .startsWith("NOT ALL MEASURED of N=1, broken, because of a failure: ");
  }

  /** Counts the directories in a directory, again and again. */
  private static final class Directories implements AutoCloseable {
    private final AtomicBoolean isClosed = new AtomicBoolean();
    private final AtomicInteger countMax = new AtomicInteger();
    private final CompletableFuture<Void> counting;

    Directories(Path parent) {
      counting =
          CompletableFuture.runAsync(
              () -> {
                while (!isClosed.get()) {
                  String[] names = parent.toFile().list();
                  countMax.accumulateAndGet(names.length, Math::max);
                  LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
                }
              });
    }

    int countMax() {
      close();
      return countMax.get();
    }

    @Override
    public void close() {
      isClosed.set(true);
      counting.join();
    }
  }

  @Test
  void theRateOfAnOpenLoopIsAPartOfTheThroughputOfTheFirstSystemInTheClosedLoop()
      throws IOException, InterruptedException {
    Case closed = SERVES;
    Case open =
        new Case(
            closed.experiment(),
            closed.clusters(),
            closed.conditions(),
            closed.load().open(0.5, 64),
            closed.contenders(),
            closed.observation());

    Results results = measure(List.of(closed, open), OPEN);

    SystemUnderTest raft = closed.contenders().get(0);
    double saturation = results.of(closed, raft, Metric.THROUGHPUT).orElseThrow().median();
    assertThat(results.of(open, raft, Metric.OFFERED).orElseThrow().median())
        .isBetween(0.3 * saturation, 0.7 * saturation);
    assertThat(results.of(open, raft, Metric.WRITE_MEAN)).isPresent();
    assertThat(results.of(open, raft, Metric.DROPPED)).isPresent();
  }

  @Test
  @Tag("slow")
  void anOpenLoopWithoutItsClosedLoopFails() {
    Case open =
        new Case(
            "alone",
            SERVES.clusters(),
            SERVES.conditions(),
            SERVES.load().open(0.5, 64),
            SERVES.contenders(),
            SERVES.observation());

    assertThatThrownBy(() -> measure(List.of(open)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("saturation throughput of raft was not measured");
  }

  private Results measure(List<Case> cases) throws IOException, InterruptedException {
    return measure(cases, SHORT);
  }

  private Results measure(List<Case> cases, RunPlan plan) throws IOException, InterruptedException {
    Results results = new Results();
    try (ProgressLine progress = ProgressLine.onStandardError()) {
      new InterleavedRunner(plan, data, BandwidthLimit.SYSTEM, progress).measure(cases, results);
    }
    return results;
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
