package io.quorate.benchmarks.paper.buc;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.DataMedium;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.benchmarks.paper.result.RatioExpectation;
import io.quorate.benchmarks.paper.result.Results;
import io.quorate.benchmarks.plot.Plot;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ShareExperimentTest {
  private static final BucSystems SYSTEMS = BucSystems.ofPresets();

  private final BucEvaluation evaluation = new BucEvaluation(SYSTEMS, BucScale.FULL);
  private final ShareExperiment experiment = new ShareExperiment(SYSTEMS);
  private final Results results = new Results();

  private static Case of(BucEvaluation evaluation, String part) {
    return evaluation.cases().stream()
        .filter(each -> each.experiment().equals(ShareExperiment.NAME))
        .filter(each -> each.name().contains(part))
        .findFirst()
        .orElseThrow();
  }

  /** One round of raft with 1,000 calls a second and of both others with the same gain. */
  private void measured(Case one, double share, double gain, double cpu, double waiting) {
    for (SystemUnderTest system : one.contenders()) {
      Map<Metric, Double> figures = new EnumMap<>(Metric.class);
      boolean isRaft = system.name().equals("raft");
      figures.put(Metric.THROUGHPUT, isRaft ? 1000 : 1000 * gain);
      figures.put(Metric.APPLY_SHARE, isRaft ? share : 0.9);
      figures.put(Metric.CPU_MACHINE, isRaft ? cpu / 2 : cpu);
      figures.put(Metric.GAP_MAX, waiting);
      results.add(one, system, figures);
    }
  }

  @Test
  void theFullEvaluationSweepsTheLatencyAndTheClients() {
    List<String> names =
        evaluation.cases().stream()
            .filter(each -> each.experiment().equals(ShareExperiment.NAME))
            .map(Case::name)
            .toList();

    assertThat(names)
        .hasSize(21)
        .contains(
            "N=3, storage.wal=synced, puts, 8 clients, 20000 keys, 1024 B",
            "N=3, storage.wal=synced, puts, 16 clients, 20000 keys, 1024 B,"
                + " fsyncs of 0.25 ms (injected)",
            "N=3, storage.wal=synced, puts, 32 clients, 20000 keys, 1024 B,"
                + " fsyncs of 16 ms (injected)",
            "N=3, storage.wal=synced, puts, 8 clients, 20000 keys, 1024 B,"
                + " fsyncs of 0 ms in the log and 1 ms in the data (injected)",
            "N=3, default storage, puts, 32 clients, 20000 keys, 1024 B");
  }

  @Test
  void theFullEvaluationMeasuresDevicesOfThreeSpeeds() {
    List<Case> cases =
        evaluation.cases().stream()
            .filter(each -> each.experiment().equals(ShareExperiment.DEVICES))
            .toList();

    assertThat(cases)
        .hasSize(9)
        .allMatch(each -> each.clusters().medium() == DataMedium.LIMITED_DEVICES)
        .extracting(Case::name)
        .contains(
            "N=3, storage.wal=synced on limited devices, puts, 8 clients, 20000 keys, 1024 B,"
                + " devices of 200 writes/s");
  }

  @Test
  void aPointIsRejectedWhereProcessorsOrTheQueueLimitTheThroughput() {
    measured(of(evaluation, "0.25 ms"), 0.4, 1.6, 71, 10);
    measured(of(evaluation, " 4 ms"), 0.4, 1.6, 70, 257);
    measured(of(evaluation, "16 ms"), 0.4, 1.6, 70, 256);

    assertThat(experiment.points(results))
        .extracting(point -> point.rejection().orElse(""))
        .containsExactly(
            "71 % of the processors",
            "71 % of the processors", "257 batches waited", "257 batches waited", "", "");
    assertThat(experiment.rows(results)).hasSize(2);
  }

  @Test
  void theGainIsComparedWithTheShareOfRaft() {
    measured(of(evaluation, " 4 ms"), 0.4, 1.6, 50, 1);
    measured(of(evaluation, "16 ms"), 0.5, 1.6, 50, 1);

    assertThat(experiment.heading(results)).contains("from 0.9 to 1.1", "2 of 4 accepted");
    assertThat(experiment.table(results).render())
        .contains("0.400", "1.60", "0.96", "accepted: met")
        .contains("0.500", "0.80", "accepted: missed");
    Plot plot = experiment.plots(results).get("buc-share-gain");
    assertThat(plot.series())
        .extracting(Plot.Series::name)
        .containsExactly("1 / (1 - share)", "paper", "cr", "buc");
    assertThat(plot.svg()).contains("<title>Gain of a response at commit</title>");
  }

  @Test
  void theGainOfThePaperIsExpectedOfTwoLogsOnOneDeviceClass() {
    Case oneMilli = of(evaluation, "fsyncs of 1 ms");
    measured(oneMilli, 0.4, 1.6, 50, 1);
    measured(of(evaluation, "1 ms in the data"), 0.6, 2.4, 50, 1);

    assertThat(experiment.expectations(results))
        .extracting(RatioExpectation::measured)
        .containsExactly(oneMilli, oneMilli);
    assertThat(experiment.expectations(results))
        .allMatch(expectation -> expectation.isMet(expectation.ratios(results).orElseThrow()));
  }
}
