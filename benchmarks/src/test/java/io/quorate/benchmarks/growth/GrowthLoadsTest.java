package io.quorate.benchmarks.growth;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.benchmarks.cluster.Deployment;
import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import java.util.List;
import org.junit.jupiter.api.Test;

class GrowthLoadsTest {
  private static final List<GrowthPart> PARTS = GrowthPart.of(GrowthScale.FULL);

  private static List<Case> cases(GrowthPart part) {
    return part.loads()
        .apply(
            part.contenders().stream()
                .map(each -> new SystemUnderTest(each.name(), new Deployment(each.preset())))
                .toList());
  }

  private static List<String> contendersOf(List<Case> cases, String experiment) {
    return cases.stream()
        .filter(each -> each.experiment().equals(experiment))
        .flatMap(each -> each.contenders().stream())
        .map(SystemUnderTest::name)
        .distinct()
        .toList();
  }

  private static List<String> titles(List<GrowthPart> parts) {
    return parts.stream().map(GrowthPart::title).toList();
  }

  @Test
  void busyRegionsRunUnderEachPresetWithoutIdleClusters() {
    assertThat(titles(PARTS))
        .containsExactly(
            "raft, all regions in use",
            "acqr, all regions in use",
            "raft, idle regions and connections");
    List<Case> cases = cases(PARTS.get(1));

    assertThat(contendersOf(cases, GrowthLoads.ALL_IN_USE))
        .containsExactly("acqr, 1 region", "acqr, 16 regions", "acqr, 64 regions");
    assertThat(cases)
        .extracting(each -> each.load().what() + " " + each.load().clients())
        .containsExactly(
            "put, all regions in use 64",
            "get, all regions in use 64",
            "put, all regions in use 1024",
            "get, all regions in use 1024");
  }

  @Test
  void eachExperimentOfIdleThingsHasTheClustersThatItCompares() {
    List<Case> cases = cases(PARTS.get(2));

    assertThat(contendersOf(cases, GrowthLoads.ONE_IN_USE))
        .containsExactly("raft, 1 region", "raft, 256 regions");
    assertThat(contendersOf(cases, GrowthLoads.CONNECTIONS))
        .containsExactly(
            "raft, 1 region", "raft, 100 idle connections", "raft, 10000 idle connections");
    assertThat(cases)
        .extracting(each -> each.load().what())
        .containsExactly(
            "put, one region in use",
            "get, one region in use",
            "put, one region",
            "get, one region");
  }

  @Test
  void nothingIsMeasuredThatIsNotCompared() {
    List<GrowthPart> parts =
        GrowthPart.of(GrowthScale.QUICK.of(GrowthScale.Sizes.of(List.of(1, 4096), List.of())));

    assertThat(titles(parts)).containsExactly("raft, idle regions and connections");
    assertThat(cases(parts.get(0)))
        .extracting(Case::experiment)
        .containsOnly(GrowthLoads.ONE_IN_USE);
  }

  @Test
  void clustersThatDoNotServeAreNotMeasured() {
    List<SystemUnderTest> systems =
        List.of(new SystemUnderTest("raft, 1 region", new Deployment("raft")));

    for (GrowthPart part : List.of(PARTS.get(0), PARTS.get(2))) {
      assertThat(part.loads().apply(systems))
          .isNotEmpty()
          .allSatisfy(each -> assertThat(each.contenders()).isEqualTo(systems));
    }
  }
}
