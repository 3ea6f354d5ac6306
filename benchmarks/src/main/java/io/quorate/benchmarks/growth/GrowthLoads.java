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
  static final String FILL = "growth-fill";

  static final int VALUE_BYTES = 1 << 10;

  private static final int REPLICAS = 3;

  /** Its keys are adjacent, and so in one region. */
  private static final int SPACE_OF_ONE_REGION = 1;

  private final GrowthScale scale;

  GrowthLoads(GrowthScale scale) {
    this.scale = scale;
  }

  /**
   * The loads of clusters whose regions are all in use, for each number of clients.
   *
   * @param systems the clusters that serve
   */
  List<Case> allInUse(List<SystemUnderTest> systems) {
    List<Case> cases = new ArrayList<>();
    for (int clients : scale.clients()) {
      cases.addAll(
          putsAndGets(
              ALL_IN_USE, "all regions in use", new KeySpace(scale.keys()), clients, systems));
    }
    return cases;
  }

  /**
   * The loads of clusters with idle regions, and of those with idle connections. Without those of
   * which only one cluster was to be measured.
   *
   * @param systems the clusters that serve
   * @param contenders all that were to be measured
   */
  List<Case> idleBeside(List<SystemUnderTest> systems, List<GrowthContender> contenders) {
    KeySpace everywhere = new KeySpace(scale.keys());
    KeySpace inOneRegion = new KeySpace(SPACE_OF_ONE_REGION, scale.keys());
    int clients = scale.clients().get(0);
    List<Case> cases = new ArrayList<>();
    List<String> regions = names(contenders, each -> each.connections() == 0);
    if (regions.size() > 1) {
      cases.addAll(
          putsAndGets(ONE_IN_USE, "one region in use", inOneRegion, clients, of(systems, regions)));
    }
    List<String> connections = names(contenders, each -> each.regions() == 1);
    if (connections.size() > 1) {
      cases.addAll(
          putsAndGets(CONNECTIONS, "one region", everywhere, clients, of(systems, connections)));
    }
    return cases;
  }

  /**
   * The load that measures the writes to disk: each key is written once, by the most clients.
   *
   * @param systems the clusters that serve
   */
  Case fill(List<SystemUnderTest> systems) {
    int clients = scale.clients().get(scale.clients().size() - 1);
    return one(FILL, CallKind.PUT, "put once", new KeySpace(scale.fillKeys()), clients, systems);
  }

  private static List<String> names(
      List<GrowthContender> contenders, Predicate<GrowthContender> selection) {
    return contenders.stream().filter(selection).map(GrowthContender::name).toList();
  }

  private static List<SystemUnderTest> of(List<SystemUnderTest> systems, List<String> names) {
    return systems.stream().filter(each -> names.contains(each.name())).toList();
  }

  private static List<Case> putsAndGets(
      String experiment, String what, KeySpace keys, int clients, List<SystemUnderTest> systems) {
    return List.of(
        one(experiment, CallKind.PUT, "put, " + what, keys, clients, systems),
        one(experiment, CallKind.GET, "get, " + what, keys, clients, systems));
  }

  private static Case one(
      String experiment,
      CallKind kind,
      String what,
      KeySpace keys,
      int clients,
      List<SystemUnderTest> systems) {
    ClientLoad load =
        new ClientLoad(what, Mix.of(kind), KeyChoice.UNIFORM, clients, keys, VALUE_BYTES);
    return new Case(
        experiment, Clusters.of(REPLICAS), Conditions.PLAIN, load, systems, Observation.CALLS);
  }
}
