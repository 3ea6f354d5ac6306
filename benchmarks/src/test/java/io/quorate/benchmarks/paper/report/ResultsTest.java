package io.quorate.benchmarks.paper.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.benchmarks.cluster.Deployment;
import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.ClientLoad;
import io.quorate.benchmarks.paper.experiment.Clusters;
import io.quorate.benchmarks.paper.experiment.Conditions;
import io.quorate.benchmarks.paper.experiment.Observation;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.benchmarks.paper.result.Comparison;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.benchmarks.paper.result.RatioExpectation;
import io.quorate.benchmarks.paper.result.RatioExpectation.Bound;
import io.quorate.benchmarks.paper.result.Results;
import io.quorate.benchmarks.paper.result.Rounds;
import io.quorate.benchmarks.report.Row;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

class ResultsTest {
  private static final SystemUnderTest PLAIN = new SystemUnderTest("plain", new Deployment("raft"));
  private static final SystemUnderTest BETTER =
      new SystemUnderTest("better", new Deployment("raft"));
  private static final Case CASE =
      new Case(
          "experiment",
          Clusters.of(3),
          Conditions.PLAIN,
          new ClientLoad(64, 0.95, 1000, 10),
          List.of(PLAIN, BETTER),
          Observation.CALLS);
  private static final List<Column> COLUMNS =
      List.of(
          Column.median("ops/s", Metric.THROUGHPUT, "%.0f"),
          Column.spread(Metric.THROUGHPUT),
          Column.ratio(Metric.THROUGHPUT),
          Column.paper(Metric.THROUGHPUT),
          Column.median("scan p50 ms", Metric.SCAN_P50, "%.2f"),
          Column.median("read p50 ms", Metric.READ_P50, "%.2f"));
  private static final Comparison COMPARISON =
      new Comparison() {
        @Override
        public Optional<SystemUnderTest> baseline(SystemUnderTest contender) {
          return contender.equals(BETTER) ? Optional.of(PLAIN) : Optional.empty();
        }

        @Override
        public OptionalDouble paper(Case measured, SystemUnderTest contender, Metric metric) {
          return contender.equals(BETTER) && metric == Metric.THROUGHPUT
              ? OptionalDouble.of(1.7)
              : OptionalDouble.empty();
        }
      };

  private static Results results() {
    Results results = new Results();
    for (double plain : new double[] {300, 100, 200}) {
      results.add(CASE, PLAIN, Map.of(Metric.THROUGHPUT, plain, Metric.READ_P50, 5.0));
      results.add(CASE, BETTER, Map.of(Metric.THROUGHPUT, 2 * plain, Metric.READ_P50, 4.0));
    }
    return results;
  }

  @Test
  void theMedianIsTheMiddleRound() {
    Rounds odd = new Rounds(List.of(9.0, 1.0, 5.0));
    assertThat(odd.median()).isEqualTo(5);
    assertThat(odd.min()).isEqualTo(1);
    assertThat(odd.max()).isEqualTo(9);
    assertThat(odd.spread()).isEqualTo(1.6);
    assertThat(new Rounds(List.of(4.0, 1.0, 2.0, 9.0)).median()).isEqualTo(3);
    assertThat(new Rounds(List.of(0.0)).spread()).isZero();
    assertThat(results().roundsMin()).isEqualTo(3);
    assertThat(results().roundsMin(CASE)).isEqualTo(3);
    assertThat(new Results().roundsMin(CASE)).isZero();
    assertThatThrownBy(() -> new Rounds(List.of())).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aRatioIsTheMedianOfTheRoundsRatios() {
    Results drifting = new Results();
    double[] plain = {100, 1000, 10};
    double[] better = {150, 1600, 30};
    for (int round = 0; round < plain.length; round++) {
      drifting.add(CASE, PLAIN, Map.of(Metric.THROUGHPUT, plain[round], Metric.WRITE_P50, 0.0));
      drifting.add(CASE, BETTER, Map.of(Metric.THROUGHPUT, better[round], Metric.WRITE_P50, 1.0));
    }

    Rounds ratios = drifting.ratios(CASE, BETTER, PLAIN, Metric.THROUGHPUT).orElseThrow();
    assertThat(ratios.values()).containsExactly(1.5, 1.6, 3.0);
    assertThat(drifting.ratio(CASE, BETTER, PLAIN, Metric.THROUGHPUT)).hasValue(1.6);
    assertThat(drifting.ratio(CASE, BETTER, PLAIN, Metric.WRITE_P50)).isEmpty();
    assertThat(drifting.ratio(CASE, BETTER, PLAIN, Metric.READ_P50)).isEmpty();
  }

  @Test
  void rowsHoldTheMedianTheRatioToTheBaselineAndThePapersFigure() {
    List<Row> rows = new ResultRows(results(), COMPARISON).all();

    Row row =
        rows.stream()
            .filter(each -> each.preset().equals("better") && each.metric().equals("throughput"))
            .findFirst()
            .orElseThrow();
    assertThat(row.workload()).isEqualTo("N=3, 95 % reads, 64 clients, 1000 keys, 10 B");
    assertThat(row.value()).isEqualTo(400);
    assertThat(row.baseline()).contains("plain");
    assertThat(row.ratio()).hasValue(2);
    assertThat(row.paper()).hasValue(1.7);
    assertThat(rows)
        .filteredOn(each -> each.metric().equals("throughput-spread"))
        .extracting(Row::value)
        .containsExactly(100.0, 100.0);
    assertThat(rows).hasSize(8);
  }

  @Test
  void anExpectationIsMetOrMissedOrNotMeasured() {
    RatioExpectation met =
        new RatioExpectation(CASE, BETTER, PLAIN, Metric.THROUGHPUT, Bound.AT_LEAST, 2);
    RatioExpectation missed =
        new RatioExpectation(CASE, BETTER, PLAIN, Metric.READ_P50, Bound.AT_MOST, 0.6);
    RatioExpectation unmeasured =
        new RatioExpectation(CASE, BETTER, PLAIN, Metric.WRITE_P50, Bound.AT_MOST, 0.6);
    Results results = results();

    assertThat(
            new ResultTables(results, COMPARISON, COLUMNS)
                .expectations(List.of(met, missed, unmeasured))
                .lines())
        .extracting(line -> line.subList(1, 5))
        .containsExactly(
            List.of("wished for", "measured", "verdict", "rounds"),
            List.of("at least 2.00", "2.000", "met", "2.00 to 2.00"),
            List.of("at most 0.60", "0.800", "missed", "0.80 to 0.80"));
    assertThat(met.row("aims", results).ratio()).hasValue(2);
    assertThat(new RatioExpectation(CASE, PLAIN, PLAIN, Metric.THROUGHPUT, Bound.ABOVE, 1).isMet(1))
        .isFalse();
  }

  @Test
  void theTableHasALineForEachContenderUnderItsLoadAndNoEmptyColumn() {
    assertThat(new ResultTables(results(), COMPARISON, COLUMNS).figures("experiment").lines())
        .containsExactly(
            List.of("load", "ops/s", "spread", "ratio", "paper", "read p50 ms"),
            List.of(CASE.name(), "", "", "", "", ""),
            List.of("  plain", "200", "100 %", "-", "-", "5.00"),
            List.of("  better", "400", "100 %", "2.00", "1.70", "4.00"));
  }

  @Test
  void theNameOfACaseBetweenSitesStatesTheInProcessDelay() {
    Case far =
        new Case(
            "x",
            Clusters.of(5),
            Conditions.delay(Duration.ofMillis(20)),
            new ClientLoad(1, 0, 1, 10),
            List.of(PLAIN),
            Observation.CALLS);
    assertThat(far.name())
        .isEqualTo("N=5, 0 % reads, 1 client, 1 key, 10 B, 20 ms between sites (in-process delay)");
  }
}
