package io.quorate.benchmarks.peers;

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

/** The loads under which all contenders are compared. Without side effects. */
final class PeerLoads {
  static final String PUTS = "peers-put";
  static final String GETS = "peers-get";
  static final String MOSTLY_GETS = "peers-mixed";
  static final String LARGE_PUTS = "peers-large";

  private static final int REPLICAS = 3;
  private static final double GET_RATIO = 0.95;

  /** The space of the keys of the first load with large values. */
  private static final int FIRST_LARGE_SPACE = 1;

  private PeerLoads() {}

  /**
   * @param systems the contenders, each measured under every load
   */
  static List<Case> of(PeersScale scale, List<SystemUnderTest> systems) {
    List<Case> cases = new ArrayList<>();
    for (int clients : scale.clients()) {
      cases.add(one(PUTS, load(scale, "put", Mix.of(CallKind.PUT), clients), systems));
    }
    for (int clients : scale.clients()) {
      cases.add(one(GETS, load(scale, "get", Mix.of(CallKind.GET), clients), systems));
    }
    Mix mostlyGets = Mix.of(CallKind.GET, GET_RATIO, CallKind.PUT);
    cases.add(
        one(
            MOSTLY_GETS,
            load(scale, mostlyGets.toString(), mostlyGets, scale.manyClients()),
            systems));
    for (int i = 0; i < scale.large().size(); i++) {
      LargeValues large = scale.large().get(i);
      KeySpace keys = new KeySpace(FIRST_LARGE_SPACE + i, large.keys());
      ClientLoad puts =
          new ClientLoad(
              "put",
              Mix.of(CallKind.PUT),
              KeyChoice.UNIFORM,
              large.clients(),
              keys,
              large.valueBytes());
      cases.add(one(LARGE_PUTS, puts, systems));
    }
    return cases;
  }

  private static ClientLoad load(PeersScale scale, String what, Mix mix, int clients) {
    return new ClientLoad(
        what, mix, KeyChoice.UNIFORM, clients, new KeySpace(scale.keys()), scale.valueBytes());
  }

  private static Case one(String experiment, ClientLoad load, List<SystemUnderTest> systems) {
    return new Case(
        experiment, Clusters.of(REPLICAS), Conditions.PLAIN, load, systems, Observation.CALLS);
  }
}
