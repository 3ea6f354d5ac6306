package io.quorate.benchmarks.paper.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.benchmarks.paper.result.Metric;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class QuorumEvaluationTest {
  private static final QuorumSystems SYSTEMS = QuorumSystems.ofPresets();

  static List<QuorumScale> scales() {
    return List.of(QuorumScale.QUICK, QuorumScale.FULL);
  }

  @ParameterizedTest
  @MethodSource("scales")
  void everyExperimentHasCasesWithFiveNodesWithoutDuplicates(QuorumScale scale) {
    List<Case> cases = new QuorumEvaluation(SYSTEMS, scale).cases();

    assertThat(cases).doesNotHaveDuplicates().allMatch(each -> each.replicas() == 5);
    assertThat(cases.stream().map(Case::experiment).distinct())
        .containsExactlyInAnyOrder(
            QuorumEvaluation.CLIENTS,
            QuorumEvaluation.UNBOUNDED,
            QuorumEvaluation.READ_RATIO,
            QuorumEvaluation.HOT_SPOTS,
            QuorumEvaluation.FRACTIONS,
            QuorumEvaluation.SLOW);
  }

  @ParameterizedTest
  @MethodSource("scales")
  void everyExpectationIsMeasured(QuorumScale scale) {
    QuorumEvaluation evaluation = new QuorumEvaluation(SYSTEMS, scale);
    List<Case> cases = evaluation.cases();

    assertThat(evaluation.expectations())
        .isNotEmpty()
        .allSatisfy(
            expectation -> {
              assertThat(cases).contains(expectation.measured());
              assertThat(expectation.measured().contenders().stream().map(SystemUnderTest::name))
                  .contains(expectation.contender().name(), expectation.baseline().name());
            });
  }

  @ParameterizedTest
  @MethodSource("scales")
  void thePapersFiguresAppearWithHighLoadOnly(QuorumScale scale) {
    assertThat(new QuorumEvaluation(SYSTEMS, scale).cases())
        .filteredOn(each -> SYSTEMS.paper(each, SYSTEMS.strong(), Metric.THROUGHPUT).isPresent())
        .isNotEmpty()
        .allMatch(
            each ->
                each.load().readRatio() == 0.95
                    && each.load().clients() == 80
                    && each.load().keys().count() == scale.keys());
    assertThat(new QuorumEvaluation(SYSTEMS, scale).cases())
        .allMatch(each -> SYSTEMS.paper(each, SYSTEMS.leader(), Metric.THROUGHPUT).isEmpty());
  }
}
