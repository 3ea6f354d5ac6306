package io.quorate.benchmarks.paper.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.benchmarks.paper.Case;
import io.quorate.benchmarks.paper.Metric;
import io.quorate.benchmarks.paper.SystemUnderTest;
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
  void everyExperimentIsThereWithFiveNodesAndNoCaseTwice(RunScale extent) {
    List<Case> cases = new Evaluation(LINEUP, extent).cases();

    assertThat(cases).doesNotHaveDuplicates().allMatch(each -> each.replicas() == 5);
    assertThat(cases.stream().map(Case::experiment).distinct())
        .containsExactlyInAnyOrderElementsOf(Evaluation.EXPERIMENTS);
  }

  @ParameterizedTest
  @MethodSource("extents")
  void whatIsHopedForIsMeasured(RunScale extent) {
    Evaluation evaluation = new Evaluation(LINEUP, extent);
    List<Case> cases = evaluation.cases();

    assertThat(evaluation.aims())
        .isNotEmpty()
        .allSatisfy(
            aim -> {
              assertThat(cases).contains(aim.measured());
              assertThat(aim.measured().contenders().stream().map(SystemUnderTest::name))
                  .contains(aim.contender().name(), aim.baseline().name());
            });
  }

  @ParameterizedTest
  @MethodSource("extents")
  void thePapersFiguresStandBesideHighLoadAlone(RunScale extent) {
    assertThat(new Evaluation(LINEUP, extent).cases())
        .filteredOn(each -> LINEUP.paper(each, LINEUP.strong(), Metric.THROUGHPUT).isPresent())
        .isNotEmpty()
        .allMatch(
            each ->
                each.load().readRatio() == 0.95
                    && each.load().clients() == 80
                    && each.load().keys().count() == extent.keys());
    assertThat(new Evaluation(LINEUP, extent).cases())
        .allMatch(each -> LINEUP.paper(each, LINEUP.leader(), Metric.THROUGHPUT).isEmpty());
  }
}
