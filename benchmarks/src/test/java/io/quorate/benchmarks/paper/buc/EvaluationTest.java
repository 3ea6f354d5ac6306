package io.quorate.benchmarks.paper.buc;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.benchmarks.kv.CallKind;
import io.quorate.benchmarks.paper.Case;
import io.quorate.benchmarks.paper.DataMedium;
import io.quorate.benchmarks.paper.Expectation;
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
  void everyExperimentIsThereWithBothStoragesAndNoCaseTwice(RunScale extent) {
    List<Case> cases = new Evaluation(LINEUP, extent).cases();

    assertThat(cases).doesNotHaveDuplicates();
    for (Storage storage : List.of(Storage.TWO_LOGS, Storage.ONE_LOG)) {
      assertThat(
              cases.stream()
                  .filter(each -> Evaluation.storageOf(each) == storage)
                  .map(Case::experiment)
                  .distinct())
          .containsExactlyInAnyOrderElementsOf(Evaluation.EXPERIMENTS);
    }
    assertThat(cases).anyMatch(each -> each.clusters().medium() == DataMedium.MEMORY);
    for (CallKind kind : CallKind.values()) {
      assertThat(cases).anyMatch(each -> each.load().mix().share(kind) > 0);
    }
  }

  @ParameterizedTest
  @MethodSource("extents")
  void contendersOfACaseDifferInTheirPresetAlone(RunScale extent) {
    assertThat(new Evaluation(LINEUP, extent).cases())
        .allSatisfy(
            each -> {
              assertThat(each.contenders().stream().map(SystemUnderTest::name))
                  .containsExactly("raft", "cr", "buc");
              assertThat(
                      each.contenders().stream().map(one -> one.deployment().settings()).distinct())
                  .containsExactly(Evaluation.storageOf(each).settings());
            });
  }

  @ParameterizedTest
  @MethodSource("extents")
  void thePapersClaimsAreHeldAgainstItsLoadsWithItsStorage(RunScale extent) {
    Evaluation evaluation = new Evaluation(LINEUP, extent);

    assertThat(evaluation.claims())
        .allSatisfy(aim -> assertThat(evaluation.cases()).contains(aim.measured()))
        .filteredOn(aim -> Evaluation.storageOf(aim.measured()) == Storage.TWO_LOGS)
        .extracting(aim -> aim.measured().load().what() + " " + aim.metric().label())
        .containsExactlyInAnyOrder(
            "YCSB Load throughput",
            "YCSB Load write-p50",
            "YCSB A throughput",
            "YCSB A write-p50",
            "YCSB A read-p50",
            "W50 throughput",
            "W50 write-p50",
            "W50 read-p50",
            "S50 throughput",
            "S50 write-p50",
            "S50 scan-p50");
  }

  @ParameterizedTest
  @MethodSource("extents")
  void nothingIsToBeLostUnderAnyLoadWithOurStorage(RunScale extent) {
    Evaluation evaluation = new Evaluation(LINEUP, extent);
    List<Case> cases =
        evaluation.cases().stream()
            .filter(each -> Evaluation.storageOf(each) == Storage.ONE_LOG)
            .toList();

    assertThat(evaluation.noLosses().stream().map(Expectation::measured).distinct())
        .containsExactlyElementsOf(cases);
    assertThat(evaluation.noLosses())
        .extracting(Expectation::metric)
        .contains(Metric.THROUGHPUT, Metric.WRITE_P99);
  }
}
