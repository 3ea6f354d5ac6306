package io.quorate.benchmarks.growth;

import io.quorate.benchmarks.kv.CallKind;
import io.quorate.benchmarks.kv.KeyChoice;
import io.quorate.benchmarks.kv.KeySpace;
import io.quorate.benchmarks.kv.Mix;
import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.ClientLoad;
import io.quorate.benchmarks.paper.experiment.Clusters;
import io.quorate.benchmarks.paper.experiment.Conditions;
import io.quorate.benchmarks.paper.experiment.Observation;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** The loads under which clusters are compared. Without side effects. */
final class GrowthLoads {
  static final String ALL_IN_USE = "growth-regions-in-use";
  static final String ONE_IN_USE = "growth-regions";
  static final String CONNECTIONS = "growth-connections";

  private static final int REPLICAS = 3;
  private static final int VALUE_BYTES = 1 << 10;

  /** Its keys are adjacent, and so in one region. */
  private static final int SPACE_OF_ONE_REGION = 1;

  private final GrowthScale scale;
  private final List<GrowthContender> contenders;

  /**
   * @param contenders all that were to be measured
   */
  GrowthLoads(GrowthScale scale, List<GrowthContender> contenders) {
    this.scale = scale;
    this.contenders = List.copyOf(contenders);
  }

  /**
   * @param systems the contenders that serve
   */
  List<Case> of(List<SystemUnderTest> systems) {
    KeySpace everywhere = new KeySpace(scale.keys());
    KeySpace inOneRegion = new KeySpace(SPACE_OF_ONE_REGION, scale.keys());
    List<Case> cases = new ArrayList<>();
    addPutsAndGets(
        cases,
        ALL_IN_USE,
        "all regions in use",
        everywhere,
        systems,
        each -> each.connections() == 0 && each.regions() <= scale.regionsInUseMax());
    addPutsAndGets(
        cases,
        ONE_IN_USE,
        "one region in use",
        inOneRegion,
        systems,
        each -> each.connections() == 0);
    addPutsAndGets(
        cases, CONNECTIONS, "one region", everywhere, systems, each -> each.regions() == 1);
    return cases;
  }

  /** Adds nothing if only one of the contenders is selected. */
  private void addPutsAndGets(
      List<Case> cases,
      String experiment,
      String what,
      KeySpace keys,
      List<SystemUnderTest> systems,
      Predicate<GrowthContender> selection) {
    List<String> names = contenders.stream().filter(selection).map(GrowthContender::name).toList();
    if (names.size() < 2) {
      return;
    }
    List<SystemUnderTest> selected =
        systems.stream().filter(each -> names.contains(each.name())).toList();
    for (CallKind kind : List.of(CallKind.PUT, CallKind.GET)) {
      String name = (kind == CallKind.PUT ? "put, " : "get, ") + what;
      ClientLoad load =
          new ClientLoad(name, Mix.of(kind), KeyChoice.UNIFORM, scale.clients(), keys, VALUE_BYTES);
      cases.add(
          new Case(
              experiment,
              Clusters.of(REPLICAS),
              Conditions.PLAIN,
              load,
              selected,
              Observation.CALLS));
    }
  }
}
