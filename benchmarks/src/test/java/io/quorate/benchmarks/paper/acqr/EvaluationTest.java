package io.quorate.benchmarks.paper.acqr;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.benchmarks.paper.Case;
import io.quorate.benchmarks.paper.Expectation;
import io.quorate.benchmarks.paper.Metric;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class EvaluationTest {
  private static final Systems LINEUP = Systems.ofPresets();

  static List<RunScale> extents() {
    return List.of(RunScale.QUICK, RunScale.FULL);
  }

  @ParameterizedTest
  @MethodSource("extents")
  void everyExperimentIsThereAndNoCaseTwice(RunScale extent) {
    List<Case> cases = new Evaluation(LINEUP, extent).cases();

    assertThat(cases).doesNotHaveDuplicates();
    assertThat(cases.stream().map(Case::experiment).distinct())
        .containsExactlyInAnyOrderElementsOf(Evaluation.EXPERIMENTS);
    assertThat(cases.stream().map(Case::replicas).distinct()).containsExactly(3, 5);
  }

  @ParameterizedTest
  @MethodSource("extents")
  void whatIsHopedForIsMeasured(RunScale extent) {
    Evaluation evaluation = new Evaluation(LINEUP, extent);
    List<Case> cases = evaluation.cases();

    assertThat(evaluation.aims())
        .filteredOn(aim -> aim.measured().replicas() == 3)
        .allSatisfy(
            aim -> {
              assertThat(cases).contains(aim.measured());
              assertThat(aim.measured().contenders()).contains(aim.contender(), aim.baseline());
            })
        .extracting(Expectation::metric)
        .contains(Metric.THROUGHPUT, Metric.READ_P50);
  }

  @ParameterizedTest
  @MethodSource("extents")
  void thePapersFiguresStandBesideMostlyReads(RunScale extent) {
    assertThat(new Evaluation(LINEUP, extent).cases())
        .filteredOn(each -> LINEUP.paper(each, LINEUP.byClient(), Metric.THROUGHPUT).isPresent())
        .isNotEmpty()
        .allMatch(each -> each.load().readRatio() == 0.95);
  }
}
