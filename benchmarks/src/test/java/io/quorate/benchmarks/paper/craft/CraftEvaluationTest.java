package io.quorate.benchmarks.paper.craft;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.benchmarks.paper.PartialResults;
import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.benchmarks.paper.result.RatioExpectation;
import io.quorate.benchmarks.paper.result.RatioExpectation.Bound;
import io.quorate.server.config.Preset;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class CraftEvaluationTest {
  private static final CraftSystems SYSTEMS = CraftSystems.ofPresets();

  static List<CraftScale> scales() {
    return List.of(CraftScale.QUICK, CraftScale.FULL);
  }

  @ParameterizedTest
  @MethodSource("scales")
  void everyExperimentHasCasesOfAllSystemsWithoutDuplicates(CraftScale scale) {
    List<Case> cases = new CraftEvaluation(SYSTEMS, scale).cases();

    assertThat(cases)
        .doesNotHaveDuplicates()
        .allSatisfy(
            each ->
                assertThat(each.contenders().stream().map(SystemUnderTest::name))
                    .containsExactly("raft", "craft", "rs-raft"));
    assertThat(cases.stream().map(Case::experiment).distinct())
        .containsExactlyInAnyOrder(
            CraftEvaluation.LATENCY,
            CraftEvaluation.THROUGHPUT,
            CraftEvaluation.BYTES,
            CraftEvaluation.HEALTHY_NODES,
            CraftEvaluation.NEW_LEADER);
  }

  /** A misspelled key would be noticed only when the nodes start. */
  @Test
  void everyPresetAndSettingExists() throws IOException {
    String documented = Files.readString(Path.of("..", "docs", "configuration.md"));

    assertThat(SYSTEMS.all().stream().map(SystemUnderTest::deployment))
        .allSatisfy(
            deployment -> {
              assertThat(Preset.names()).contains(deployment.preset());
              assertThat(deployment.settings().keySet())
                  .allSatisfy(key -> assertThat(documented).contains("`quorate." + key + "`"));
            })
        .doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @MethodSource("scales")
  void everyExpectationIsMeasured(CraftScale scale) {
    CraftEvaluation evaluation = new CraftEvaluation(SYSTEMS, scale);

    assertThat(evaluation.expectations())
        .isNotEmpty()
        .allSatisfy(expectation -> assertThat(evaluation.cases()).contains(expectation.measured()));
  }

  @Test
  void theFullEvaluationHasFiveAndSevenNodesAndValuesFromOneKibToTwoMib() {
    List<Case> cases = new CraftEvaluation(SYSTEMS, CraftScale.FULL).cases();

    assertThat(cases.stream().map(Case::replicas).distinct()).containsExactly(5, 7);
    assertThat(cases.stream().map(each -> each.load().valueBytes()).distinct())
        .contains(1 << 10, 1 << 20, 2 << 20);
  }

  @Test
  void nodesStopUntilAMajorityIsLeft() {
    assertThat(new CraftEvaluation(SYSTEMS, CraftScale.FULL).cases())
        .filteredOn(each -> each.experiment().equals(CraftEvaluation.HEALTHY_NODES))
        .extracting(each -> each.replicas() - each.conditions().stoppedNodes())
        .containsExactly(5, 4, 3, 7, 6, 5, 4);
  }

  /** With k = 3, fragments need five of five nodes, and six of seven. */
  @Test
  void withoutCompleteCopiesWritesAreExpectedToStopBelowTheNodesThatFragmentsNeed() {
    assertThat(new CraftEvaluation(SYSTEMS, CraftScale.FULL).expectations())
        .filteredOn(expectation -> expectation.contender().equals(SYSTEMS.rsRaft()))
        .allMatch(expectation -> expectation.bound() == Bound.AT_MOST && expectation.limit() == 0)
        .extracting(
            expectation ->
                expectation.measured().replicas()
                    - expectation.measured().conditions().stoppedNodes())
        .containsExactly(4, 3, 5, 4);
  }

  @Test
  void craftIsExpectedToWriteWithAnyMajority() {
    List<RatioExpectation> expectations =
        new CraftEvaluation(SYSTEMS, CraftScale.FULL).expectations();

    assertThat(expectations)
        .filteredOn(
            expectation -> expectation.measured().experiment().equals("craft-healthy-nodes"))
        .filteredOn(expectation -> expectation.contender().equals(SYSTEMS.craft()))
        .hasSize(7)
        .allMatch(expectation -> expectation.bound() == Bound.ABOVE && expectation.limit() == 0);
  }

  @ParameterizedTest
  @CsvSource({
    "5, craft-throughput, THROUGHPUT, 2.8",
    "7, craft-throughput, THROUGHPUT, 3.5",
    "5, craft-latency, WRITE_P50, 0.55",
    "7, craft-latency, WRITE_P50, 0.4",
    "5, craft-bytes, LEADER_SENT, 0.4",
    "7, craft-bytes, FOLLOWER_STORED, 0.34"
  })
  void thePapersFiguresAreBesideLargeValues(
      int replicas, String experiment, Metric metric, double ratio) {
    assertThat(new CraftEvaluation(SYSTEMS, CraftScale.FULL).cases())
        .filteredOn(each -> each.replicas() == replicas && each.experiment().equals(experiment))
        .allSatisfy(
            each -> {
              boolean isLarge = each.load().valueBytes() >= 1 << 20;
              assertThat(SYSTEMS.paper(each, SYSTEMS.craft(), metric).isPresent())
                  .isEqualTo(isLarge);
              assertThat(SYSTEMS.paper(each, SYSTEMS.rsRaft(), metric)).isEmpty();
              assertThat(SYSTEMS.paper(each, SYSTEMS.raft(), metric)).isEmpty();
            })
        .filteredOn(each -> each.load().valueBytes() >= 1 << 20)
        .isNotEmpty()
        .allSatisfy(
            each -> assertThat(SYSTEMS.paper(each, SYSTEMS.craft(), metric)).hasValue(ratio));
  }

  @ParameterizedTest
  @CsvSource({
    "1024, 100, 1000",
    "262144, 100, 256",
    "1048576, 32, 64",
    "2097152, 16, 32",
    "67108864, 1, 2"
  })
  void longValuesHaveFewerClientsAndKeys(int valueBytes, int clients, int keys) {
    assertThat(CraftScale.clients(valueBytes)).isEqualTo(clients);
    assertThat(CraftScale.keys(valueBytes)).isEqualTo(keys);
  }

  @Test
  void aReportOfFewMeasurementsIsPossible() {
    PartialResults.requireReports(new CraftEvaluation(SYSTEMS, CraftScale.QUICK));
  }

  @Test
  @Tag("slow")
  void aReportOfFewMeasurementsOfAFullRunIsPossible() {
    PartialResults.requireReports(new CraftEvaluation(SYSTEMS, CraftScale.FULL));
  }
}
