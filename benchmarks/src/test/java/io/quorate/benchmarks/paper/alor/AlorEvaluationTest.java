package io.quorate.benchmarks.paper.alor;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.benchmarks.paper.PartialResults;
import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.benchmarks.paper.result.Results;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class AlorEvaluationTest {
  private static final AlorSystems SYSTEMS = AlorSystems.ofPolicies();

  static List<AlorScale> scales() {
    return List.of(AlorScale.QUICK, AlorScale.FULL);
  }

  @ParameterizedTest
  @MethodSource("scales")
  void everyMixHasAllWorkloadsWithAllPolicies(AlorScale scale) {
    List<Case> cases =
        new AlorEvaluation(SYSTEMS, scale)
            .cases().stream().filter(each -> !each.conditions().slowsDevices()).toList();

    assertThat(cases)
        .doesNotHaveDuplicates()
        .allSatisfy(
            each ->
                assertThat(each.contenders().stream().map(SystemUnderTest::name))
                    .containsExactly("ed", "lmo", "alor"));
    assertThat(cases.stream().map(each -> each.load().what()))
        .startsWith("Load", "A", "B", "C")
        .hasSize(4 * (1 + scale.mixes().size() + scale.sizes().size()));
  }

  @Test
  void theFullEvaluationHasThePapersDevicesAndNumbersOfNodes() {
    assertThat(
            new AlorEvaluation(SYSTEMS, AlorScale.FULL)
                .cases().stream().map(each -> each.clusters().name()).distinct())
        .containsExactly("1N2H3P", "2H4P", "2N2H2P", "3N2H1P", "1H3P", "1N1H3P", "6N");
  }

  /** A misspelled key would be noticed only when the nodes start. */
  @Test
  void everySettingExists() throws IOException {
    String documented = Files.readString(Path.of("..", "docs", "configuration.md"));

    assertThat(SYSTEMS.policies().stream().map(SystemUnderTest::deployment))
        .allSatisfy(
            deployment ->
                assertThat(deployment.settings().keySet())
                    .allSatisfy(key -> assertThat(documented).contains("`quorate." + key + "`")))
        .doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @MethodSource("scales")
  void everyExpectationIsMeasured(AlorScale scale) {
    AlorEvaluation evaluation = new AlorEvaluation(SYSTEMS, scale);

    assertThat(evaluation.expectations())
        .isNotEmpty()
        .allSatisfy(expectation -> assertThat(evaluation.cases()).contains(expectation.measured()));
  }

  @Test
  void theSummaryHasTheRatiosOfEachWorkloadTheirMeanAndTheBound() {
    AlorEvaluation evaluation = new AlorEvaluation(SYSTEMS, AlorScale.QUICK);
    Results results = new Results();
    double ratio = 1;
    for (Case each : evaluation.cases()) {
      results.add(each, SYSTEMS.ed(), Map.of(Metric.THROUGHPUT, 100.0));
      results.add(each, SYSTEMS.lmo(), Map.of(Metric.THROUGHPUT, 150.0));
      results.add(each, SYSTEMS.alor(), Map.of(Metric.THROUGHPUT, 100 * ratio++));
    }

    assertThat(evaluation.report(results).tables().get("Throughput over ed").render())
        .containsPattern("1N2H3P, lmo +1.50 +1.50 +1.50 +1.50 +1.50")
        .containsPattern("1N2H3P, alor +1.00 +2.00 +3.00 +4.00 +2.50 +1.87");
  }

  @ParameterizedTest
  @MethodSource("scales")
  void aReportOfFewMeasurementsIsPossible(AlorScale scale) {
    PartialResults.requireReports(new AlorEvaluation(SYSTEMS, scale));
  }
}
