package io.quorate.benchmarks.growth;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.benchmarks.cluster.Deployment;
import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class GrowthLoadsTest {
  private static final List<GrowthContender> CONTENDERS =
      List.of(contender(1, 0), contender(16, 0), contender(256, 0), contender(1, 100));

  private static GrowthContender contender(int regions, int connections) {
    return new GrowthContender(regions, connections, Duration.ZERO);
  }

  private static List<String> contendersOf(List<Case> cases, String experiment) {
    return cases.stream()
        .filter(each -> each.experiment().equals(experiment))
        .flatMap(each -> each.contenders().stream())
        .map(SystemUnderTest::name)
        .distinct()
        .toList();
  }

  @Test
  void eachExperimentHasTheClustersThatItCompares() {
    List<SystemUnderTest> systems =
        CONTENDERS.stream()
            .map(each -> new SystemUnderTest(each.name(), new Deployment(each.name())))
            .toList();

    List<Case> cases = new GrowthLoads(GrowthScale.QUICK, CONTENDERS).of(systems);

    assertThat(contendersOf(cases, GrowthLoads.ALL_IN_USE))
        .containsExactly("1 region", "16 regions");
    assertThat(contendersOf(cases, GrowthLoads.ONE_IN_USE))
        .containsExactly("1 region", "16 regions", "256 regions");
    assertThat(contendersOf(cases, GrowthLoads.CONNECTIONS))
        .containsExactly("1 region", "100 idle connections");
    assertThat(cases)
        .extracting(each -> each.load().what())
        .containsExactly(
            "put, all regions in use",
            "get, all regions in use",
            "put, one region in use",
            "get, one region in use",
            "put, one region",
            "get, one region");
  }

  @Test
  void nothingIsMeasuredThatIsNotCompared() {
    List<GrowthContender> many = List.of(contender(1, 0), contender(4096, 0));
    List<SystemUnderTest> systems =
        many.stream()
            .map(each -> new SystemUnderTest(each.name(), new Deployment(each.name())))
            .toList();

    assertThat(new GrowthLoads(GrowthScale.QUICK, many).of(systems))
        .extracting(Case::experiment)
        .containsOnly(GrowthLoads.ONE_IN_USE);
  }

  @Test
  void clustersThatDoNotServeAreNotMeasured() {
    List<SystemUnderTest> systems =
        List.of(new SystemUnderTest("1 region", new Deployment("1 region")));

    assertThat(new GrowthLoads(GrowthScale.FULL, CONTENDERS).of(systems))
        .allSatisfy(each -> assertThat(each.contenders()).isEqualTo(systems));
  }
}
