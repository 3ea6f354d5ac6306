package io.quorate.benchmarks.paper.buc;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.benchmarks.kv.CallKind;
import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.DataMedium;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.benchmarks.paper.report.PaperExperiment;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.benchmarks.paper.result.RatioExpectation;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class BucEvaluationTest {
  private static final BucSystems SYSTEMS = BucSystems.ofPresets();

  static List<BucScale> scales() {
    return List.of(BucScale.QUICK, BucScale.FULL);
  }

  @ParameterizedTest
  @MethodSource("scales")
  void everyExperimentHasCasesWithBothStoragesWithoutDuplicates(BucScale scale) {
    List<Case> cases = new BucEvaluation(SYSTEMS, scale).cases();

    assertThat(cases).doesNotHaveDuplicates();
    for (StorageVariant storage : List.of(StorageVariant.TWO_LOGS, StorageVariant.ONE_LOG)) {
      assertThat(
              cases.stream()
                  .filter(each -> StorageVariant.of(each) == storage)
                  .filter(each -> !each.experiment().equals(ShareExperiment.NAME))
                  .map(Case::experiment)
                  .distinct())
          .containsExactlyInAnyOrderElementsOf(
              BucEvaluation.EXPERIMENTS.stream().map(PaperExperiment::name).toList());
    }
    assertThat(cases)
        .anyMatch(each -> each.clusters().medium() == DataMedium.MEMORY)
        .anyMatch(each -> each.experiment().equals(ShareExperiment.NAME));
    for (CallKind kind : CallKind.values()) {
      assertThat(cases).anyMatch(each -> each.load().mix().share(kind) > 0);
    }
  }

  @ParameterizedTest
  @MethodSource("scales")
  void contendersOfACaseDifferInTheirPresetOnly(BucScale scale) {
    assertThat(new BucEvaluation(SYSTEMS, scale).cases())
        .allSatisfy(
            each -> {
              assertThat(each.contenders().stream().map(SystemUnderTest::name))
                  .containsExactly("raft", "cr", "buc");
              assertThat(
                      each.contenders().stream().map(one -> one.deployment().settings()).distinct())
                  .containsExactly(StorageVariant.of(each).settings());
            });
  }

  @ParameterizedTest
  @MethodSource("scales")
  void thePapersClaimsAreCheckedWithItsLoadsAndItsStorage(BucScale scale) {
    BucEvaluation evaluation = new BucEvaluation(SYSTEMS, scale);

    assertThat(evaluation.claims())
        .allSatisfy(expectation -> assertThat(evaluation.cases()).contains(expectation.measured()))
        .filteredOn(
            expectation -> StorageVariant.of(expectation.measured()) == StorageVariant.TWO_LOGS)
        .extracting(
            expectation ->
                expectation.measured().load().what() + " " + expectation.metric().label())
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
  @MethodSource("scales")
  void noLossIsExpectedUnderAnyLoadWithTheDefaultStorage(BucScale scale) {
    BucEvaluation evaluation = new BucEvaluation(SYSTEMS, scale);
    List<Case> cases =
        evaluation.cases().stream()
            .filter(each -> StorageVariant.of(each) == StorageVariant.ONE_LOG)
            .toList();

    assertThat(evaluation.noLosses().stream().map(RatioExpectation::measured).distinct())
        .containsExactlyElementsOf(cases);
    assertThat(evaluation.noLosses())
        .extracting(RatioExpectation::metric)
        .contains(Metric.THROUGHPUT, Metric.WRITE_P99);
  }
}
