package io.quorate.benchmarks.paper.acqr;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.benchmarks.paper.PartialResults;
import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.benchmarks.paper.result.RatioExpectation;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class AcqrEvaluationTest {
  private static final AcqrSystems SYSTEMS = AcqrSystems.ofPresets();

  static List<AcqrScale> scales() {
    return List.of(AcqrScale.QUICK, AcqrScale.FULL);
  }

  @ParameterizedTest
  @MethodSource("scales")
  void everyExperimentHasCasesWithoutDuplicates(AcqrScale scale) {
    List<Case> cases = new AcqrEvaluation(SYSTEMS, scale).cases();

    assertThat(cases).doesNotHaveDuplicates();
    assertThat(cases.stream().map(Case::experiment).distinct())
        .containsExactlyInAnyOrder(
            AcqrEvaluation.CLIENTS,
            AcqrEvaluation.READ_RATIO,
            AcqrEvaluation.CONTENTION,
            AcqrEvaluation.WIDE_AREA,
            AcqrEvaluation.WRITES);
    assertThat(cases.stream().map(Case::replicas).distinct()).containsExactly(3, 5);
  }

  @ParameterizedTest
  @MethodSource("scales")
  void everyExpectationIsMeasured(AcqrScale scale) {
    AcqrEvaluation evaluation = new AcqrEvaluation(SYSTEMS, scale);
    List<Case> cases = evaluation.cases();

    assertThat(evaluation.expectations())
        .filteredOn(expectation -> expectation.measured().replicas() == 3)
        .allSatisfy(
            expectation -> {
              assertThat(cases).contains(expectation.measured());
              assertThat(expectation.measured().contenders())
                  .contains(expectation.contender(), expectation.baseline());
            })
        .extracting(RatioExpectation::metric)
        .contains(Metric.THROUGHPUT, Metric.READ_P50);
  }

  @ParameterizedTest
  @MethodSource("scales")
  void thePapersFiguresAppearWithReadHeavyLoadsOnly(AcqrScale scale) {
    assertThat(new AcqrEvaluation(SYSTEMS, scale).cases())
        .filteredOn(each -> SYSTEMS.paper(each, SYSTEMS.byClient(), Metric.THROUGHPUT).isPresent())
        .isNotEmpty()
        .allMatch(each -> each.load().readRatio() == 0.95);
  }

  @Test
  void aReportOfFewMeasurementsIsPossible() {
    PartialResults.requireReports(new AcqrEvaluation(SYSTEMS, AcqrScale.QUICK));
  }

  @Test
  @Tag("slow")
  void aReportOfFewMeasurementsOfAFullRunIsPossible() {
    PartialResults.requireReports(new AcqrEvaluation(SYSTEMS, AcqrScale.FULL));
  }
}
