package io.quorate.benchmarks.paper.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.benchmarks.paper.Case;
import io.quorate.benchmarks.paper.Contender;
import io.quorate.benchmarks.paper.Metric;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class EvaluationTest {
  private static final Lineup LINEUP = Lineup.ofPresets();

  static List<Extent> extents() {
    return List.of(Extent.QUICK, Extent.FULL);
  }

  @ParameterizedTest
  @MethodSource("extents")
  void everyExperimentIsThereWithFiveNodesAndNoCaseTwice(Extent extent) {
    List<Case> cases = new Evaluation(LINEUP, extent).cases();

    assertThat(cases).doesNotHaveDuplicates().allMatch(each -> each.replicas() == 5);
    assertThat(cases.stream().map(Case::experiment).distinct())
        .containsExactlyInAnyOrderElementsOf(Evaluation.EXPERIMENTS);
  }

  @ParameterizedTest
  @MethodSource("extents")
  void whatIsHopedForIsMeasured(Extent extent) {
    Evaluation evaluation = new Evaluation(LINEUP, extent);
    List<Case> cases = evaluation.cases();

    assertThat(evaluation.aims())
        .isNotEmpty()
        .allSatisfy(
            aim -> {
              assertThat(cases).contains(aim.measured());
              assertThat(aim.measured().contenders().stream().map(Contender::name))
                  .contains(aim.contender().name(), aim.baseline().name());
            });
  }

  @ParameterizedTest
  @MethodSource("extents")
  void thePapersFiguresStandBesideHighLoadAlone(Extent extent) {
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
