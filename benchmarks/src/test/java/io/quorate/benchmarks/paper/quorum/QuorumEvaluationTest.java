package io.quorate.benchmarks.paper.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.benchmarks.paper.PartialResults;
import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.benchmarks.paper.result.Metric;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
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
            QuorumEvaluation.OPEN_LOOP,
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
        .filteredOn(each -> !each.experiment().equals(QuorumEvaluation.OPEN_LOOP))
        .isNotEmpty()
        .allMatch(
            each ->
                each.load().readRatio() == 0.95
                    && each.load().clients() == 80
                    && each.load().keys().count() == scale.keys());
    assertThat(new QuorumEvaluation(SYSTEMS, scale).cases())
        .allMatch(each -> SYSTEMS.paper(each, SYSTEMS.leader(), Metric.THROUGHPUT).isEmpty());
  }

  /** The rates of the open loop relate to the first system in the closed loop before it. */
  @ParameterizedTest
  @MethodSource("scales")
  void theOpenLoopFollowsAClosedLoopOfTheSameSystemsWithTheLeaderFirst(QuorumScale scale) {
    List<Case> cases =
        new QuorumEvaluation(SYSTEMS, scale)
            .cases().stream()
                .filter(each -> each.experiment().equals(QuorumEvaluation.OPEN_LOOP))
                .toList();

    assertThat(cases.get(0).load().offered()).isEmpty();
    assertThat(cases.subList(1, cases.size()))
        .extracting(each -> each.load().offered().orElseThrow())
        .isSorted()
        .contains(QuorumEvaluation.NEARLY_SATURATED);
    assertThat(cases)
        .allSatisfy(
            each -> {
              assertThat(each.clusters()).isEqualTo(cases.get(0).clusters());
              assertThat(each.conditions()).isEqualTo(cases.get(0).conditions());
              assertThat(each.contenders())
                  .isEqualTo(cases.get(0).contenders())
                  .startsWith(SYSTEMS.leaderInOpenLoop())
                  .containsAll(SYSTEMS.quorumInOpenLoop(scale.allApproaches()))
                  .allMatch(
                      system ->
                          system.equals(SYSTEMS.leaderInOpenLoop())
                              ? SYSTEMS.baseline(system).isEmpty()
                              : SYSTEMS
                                  .baseline(system)
                                  .equals(Optional.of(SYSTEMS.leaderInOpenLoop())));
            });
  }

  @Test
  void aReportOfFewMeasurementsIsPossible() {
    PartialResults.requireReports(new QuorumEvaluation(SYSTEMS, QuorumScale.QUICK));
  }

  @Test
  @Tag("slow")
  void aReportOfFewMeasurementsOfAFullRunIsPossible() {
    PartialResults.requireReports(new QuorumEvaluation(SYSTEMS, QuorumScale.FULL));
  }
}
