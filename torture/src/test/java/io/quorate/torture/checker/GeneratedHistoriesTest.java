package io.quorate.torture.checker;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.torture.history.History;
import io.quorate.torture.model.BruteForce;
import io.quorate.torture.model.Mutation;
import io.quorate.torture.model.Replay;
import io.quorate.torture.model.Simulation;
import io.quorate.torture.model.Simulation.Misbehaviour;
import io.quorate.torture.model.Simulation.Shape;
import io.quorate.torture.model.Workload;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares the checker with a brute-force search on small histories of all kinds. */
class GeneratedHistoriesTest {
  private static final int HISTORIES = Boolean.getBoolean("tests.slow") ? 2_000 : 500;
  private static final LinearizabilityChecker CHECKER =
      new LinearizabilityChecker(SearchLimits.DEFAULT);

  static Stream<Arguments> workloads() {
    List<String> one = List.of("k");
    List<String> several = List.of("a", "b", "c");
    return Stream.of(
        Arguments.of("unique values", Workload.uniqueValues(one)),
        Arguments.of("few values", Workload.fewValues(one)),
        Arguments.of("counters", Workload.counters(one)),
        Arguments.of("lists", Workload.lists(one, 1_000)),
        Arguments.of("everything", Workload.everything(one)),
        Arguments.of("scans and batches", Workload.scansAndBatches(several)),
        Arguments.of(
            "everything with scans and batches", Workload.everythingWithScansAndBatches(several)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("workloads")
  void acceptsHistoriesOfASequentialDatabase(String name, Workload workload) {
    for (long seed = 0; seed < HISTORIES / 10; seed++) {
      Random random = new Random(seed);
      Shape shape = new Shape(1 + random.nextInt(6), 40, 80, 40);
      History history = Simulation.run(shape, workload, Misbehaviour.NONE, seed);
      assertExplained(history, seed);
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("workloads")
  void agreesWithBruteForceOnSmallHistories(String name, Workload workload) {
    assertAgreement(workload, 7, 3);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("workloads")
  void agreesWithBruteForceOnLargerHistories(String name, Workload workload) {
    assertAgreement(workload, 14, 4);
  }

  private static void assertAgreement(Workload workload, int operations, int clients) {
    int violations = 0;
    for (int seed = 0; seed < HISTORIES; seed++) {
      History history = falsified(workload, operations, clients, seed);
      boolean linearizable = BruteForce.isLinearizable(history);
      if (linearizable) {
        assertExplained(history, seed);
      } else {
        violations++;
        assertRejected(history, seed);
      }
    }
    assertThat(violations).isBetween(HISTORIES / 50, HISTORIES * 9 / 10);
  }

  private static void assertRejected(History history, long seed) {
    assertThat(CHECKER.checkAtomicity(history))
        .as(() -> described(history, seed))
        .isInstanceOf(Verdict.Violation.class);
  }

  private static History falsified(Workload workload, int operations, int clients, long seed) {
    Random random = new Random(seed);
    Misbehaviour[] misbehaviours = Misbehaviour.values();
    Misbehaviour misbehaviour = misbehaviours[random.nextInt(misbehaviours.length)];
    Shape shape = new Shape(1 + random.nextInt(clients), operations, 150, 50);
    History history = Simulation.run(shape, workload, misbehaviour, seed);
    for (int i = random.nextInt(3); i > 0; i--) {
      Mutation[] mutations = Mutation.values();
      history = mutations[random.nextInt(mutations.length)].apply(history, random);
    }
    return history;
  }

  private static void assertExplained(History history, long seed) {
    Verdict verdict = CHECKER.checkAtomicity(history);
    assertThat(verdict).as(() -> described(history, seed)).isInstanceOf(Verdict.Linearizable.class);
    for (Partition.Group group : Partition.byConnection(history)) {
      List<Verdict.Linearization> orders = ((Verdict.Linearizable) verdict).orders();
      Verdict.Linearization linearization =
          orders.stream().filter(order -> order.keys().equals(group.keys())).findFirst().get();
      assertThat(Replay.fault(group.operations(), linearization.order()))
          .as(() -> described(history, seed))
          .isEmpty();
    }
    assertThat(CHECKER.checkKeys(history))
        .as(() -> described(history, seed))
        .isInstanceOf(Verdict.Linearizable.class);
  }

  private static String described(History history, long seed) {
    StringBuilder text = new StringBuilder("seed " + seed + ":\n");
    history
        .operations()
        .forEach(
            operation ->
                text.append(operation.invokedNanos())
                    .append(" to ")
                    .append(operation.completedNanos())
                    .append(": ")
                    .append(operation)
                    .append('\n'));
    return text.toString();
  }
}
