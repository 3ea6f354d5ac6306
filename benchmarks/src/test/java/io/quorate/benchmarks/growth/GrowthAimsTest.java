package io.quorate.benchmarks.growth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.quorate.benchmarks.cluster.Deployment;
import io.quorate.benchmarks.limits.LimitRounds;
import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.benchmarks.paper.result.Results;
import io.quorate.benchmarks.peers.run.LatencyDistributions;
import io.quorate.benchmarks.peers.run.Measured;
import io.quorate.benchmarks.report.Row;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GrowthAimsTest {
  private static final GrowthPart PART = GrowthPart.of(GrowthScale.FULL).get(0);
  private static final List<SystemUnderTest> SYSTEMS =
      PART.contenders().stream()
          .map(each -> new SystemUnderTest(each.name(), new Deployment("raft")))
          .toList();
  private static final Case PUTS = PART.loads().apply(SYSTEMS).get(0);

  private final Results results = new Results();
  private final List<MeasuredPart> parts =
      List.of(
          new MeasuredPart(
              PART,
              new Measured(
                  SYSTEMS,
                  List.of(PUTS),
                  results,
                  new LatencyDistributions(),
                  new LimitRounds(),
                  Map.of(),
                  false)));

  private static Map<Metric, Double> figures(double throughput, double switches, double syncs) {
    return Map.of(
        Metric.THROUGHPUT, throughput,
        Metric.SWITCHES_PER_CALL, switches,
        Metric.SYNCS_PER_SECOND, syncs);
  }

  @Test
  void aimsAreOfSixteenRegionsAlsoBesideOneRegion() {
    results.add(PUTS, SYSTEMS.get(0), figures(10_000, 1.9, 400));
    results.add(PUTS, SYSTEMS.get(1), figures(6_000, 25, 440));
    results.add(PUTS, SYSTEMS.get(2), figures(100, 90, 9_000));

    assertThat(GrowthAims.rows(parts))
        .extracting(Row::preset, Row::metric, Row::value)
        .containsExactly(
            tuple("raft, 16 regions", "throughput-met", 1.0),
            tuple("raft, 16 regions", "context-switches-per-call-met", 0.0),
            tuple("raft, 16 regions", "fsyncs-per-second-met", 1.0));
    assertThat(GrowthAims.table(parts).render())
        .contains("at least 0.50 of one region", "0.60", "at most 8.00", "25.0");
  }

  @Test
  void thereIsALineOnlyForWhatWasMeasured() {
    results.add(PUTS, SYSTEMS.get(0), figures(10_000, 1.9, 400));

    assertThat(GrowthAims.rows(parts)).isEmpty();
  }

  @Test
  void linesOfPlotsGoFromOneRegionToTheMost() {
    results.add(PUTS, SYSTEMS.get(0), figures(10_000, 1.9, 400));
    results.add(PUTS, SYSTEMS.get(2), figures(100, 90, 9_000));

    assertThat(GrowthPlots.of(parts, List.of(64, 1024)))
        .containsOnlyKeys(
            "growth-regions-in-use-put-throughput",
            "growth-regions-in-use-put-context-switches-per-call",
            "growth-regions-in-use-put-fsyncs-per-second")
        .allSatisfy(
            (name, plot) -> {
              assertThat(plot.series()).hasSize(1);
              assertThat(plot.series().get(0).name()).isEqualTo("raft, 64 clients");
              assertThat(plot.series().get(0).points())
                  .extracting(each -> each.x())
                  .containsExactly(1.0, 64.0);
            });
  }
}
