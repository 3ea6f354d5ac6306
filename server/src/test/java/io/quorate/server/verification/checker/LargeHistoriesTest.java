package io.quorate.server.verification.checker;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.server.verification.history.Action;
import io.quorate.server.verification.history.Answer;
import io.quorate.server.verification.history.History;
import io.quorate.server.verification.history.Operation;
import io.quorate.server.verification.history.Outcome;
import io.quorate.server.verification.invariants.Invariants;
import io.quorate.server.verification.model.Replay;
import io.quorate.server.verification.model.Simulation;
import io.quorate.server.verification.model.Simulation.Misbehaviour;
import io.quorate.server.verification.model.Simulation.Shape;
import io.quorate.server.verification.model.Workload;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Histories as long as those that are recorded. */
class LargeHistoriesTest {
  private static final long SEED = 20_260;
  private static final LinearizabilityChecker CHECKER =
      new LinearizabilityChecker(SearchLimits.DEFAULT);
  private static final Workload FIVE_HOT_KEYS =
      Workload.oneOf(
          Workload.uniqueValues(List.of("a", "b", "c")),
          Workload.uniqueValues(List.of("a", "b", "c")),
          Workload.uniqueValues(List.of("a", "b", "c")),
          Workload.counters(List.of("counter")),
          Workload.lists(List.of("list"), 2_000));
  private static final Workload SCANS = Workload.scansAndBatches(List.of("a", "b", "c", "d", "e"));

  @Test
  void aHundredThousandOperationsOnFiveHotKeysAndOneStaleReadAmongThem() {
    History good = fiveHotKeys();
    assertExplained(good);
    assertThat(Invariants.findings(good)).isEmpty();

    Operation stale = aReadInTheMiddle(good);
    assertThat(CHECKER.checkKeys(withOldAnswer(good, stale)))
        .isInstanceOfSatisfying(
            Verdict.Violation.class,
            violation -> assertThat(violation.explanation()).contains("#" + stale.id() + " get"));
  }

  @Test
  void manyClientsOnOneKey() {
    History history =
        Simulation.run(
            new Shape(64, 50_000, 20, 5),
            Workload.uniqueValues(List.of("k")),
            Misbehaviour.NONE,
            SEED);
    assertExplained(history);
  }

  @Test
  void scansAndBatchesOnFiveKeys() {
    assertExplained(Simulation.run(new Shape(32, 30_000, 20, 5), SCANS, Misbehaviour.NONE, SEED));
  }

  @Test
  void aTornScanAmongMany() {
    History history =
        Simulation.run(new Shape(16, 20_000, 0, 5), SCANS, Misbehaviour.TEAR_SCAN, SEED);
    assertThat(CHECKER.checkAtomicity(history)).isInstanceOf(Verdict.Violation.class);
  }

  @Test
  void aBatchSeenHalfAmongMany() {
    History good = Simulation.run(new Shape(16, 20_000, 20, 5), SCANS, Misbehaviour.NONE, SEED);
    Operation scan = aScanOfAWholeBatchInTheMiddle(good);
    TreeMap<String, String> rows = new TreeMap<>(rows(scan));
    String key = rows.firstKey();
    rows.put(key, rowLongBefore(good, key));
    assertThat(CHECKER.checkAtomicity(with(good, scan, new Answer.Rows(rows))))
        .isInstanceOfSatisfying(
            Verdict.Violation.class,
            violation -> assertThat(violation.explanation()).contains("#" + scan.id() + " scan"));
  }

  private static History fiveHotKeys() {
    return Simulation.run(new Shape(32, 100_000, 20, 5), FIVE_HOT_KEYS, Misbehaviour.NONE, SEED);
  }

  private static void assertExplained(History history) {
    Verdict verdict = CHECKER.checkAtomicity(history);
    assertThat(verdict).isInstanceOf(Verdict.Linearizable.class);
    List<Verdict.Explained> orders = ((Verdict.Linearizable) verdict).orders();
    for (Partition.Group group : Partition.byConnection(history)) {
      Verdict.Explained explained =
          orders.stream().filter(order -> order.keys().equals(group.keys())).findFirst().get();
      assertThat(Replay.fault(group.operations(), explained.order())).isEmpty();
    }
  }

  private static Operation aReadInTheMiddle(History history) {
    return history.operations().stream()
        .skip(history.size() / 2)
        .filter(operation -> found(operation).isPresent())
        .findFirst()
        .orElseThrow();
  }

  /** The value that a get of key "a" found. */
  private static Optional<String> found(Operation operation) {
    return operation.action().equals(new Action.Get("a"))
            && operation.outcome() instanceof Outcome.Ok ok
        ? ((Answer.Found) ok.answer()).value()
        : Optional.empty();
  }

  /** The same, but the read finds what was found long before. */
  private static History withOldAnswer(History history, Operation read) {
    Optional<String> old =
        history.operations().stream()
            .skip(history.size() / 4)
            .map(LargeHistoriesTest::found)
            .flatMap(Optional::stream)
            .findFirst();
    return with(history, read, new Answer.Found(old));
  }

  /** A scan whose first two rows were written by one batch. */
  private static Operation aScanOfAWholeBatchInTheMiddle(History history) {
    return history.operations().stream()
        .skip(history.size() / 2)
        .filter(
            operation -> {
              List<String> writes =
                  rows(operation).values().stream()
                      .limit(2)
                      .map(value -> value.replaceFirst("\\..*", ""))
                      .toList();
              return writes.size() == 2 && writes.get(0).equals(writes.get(1));
            })
        .findFirst()
        .orElseThrow();
  }

  private static String rowLongBefore(History history, String key) {
    return history.operations().stream()
        .skip(history.size() / 4)
        .map(operation -> rows(operation).get(key))
        .filter(Objects::nonNull)
        .findFirst()
        .orElseThrow();
  }

  private static SortedMap<String, String> rows(Operation operation) {
    return operation.outcome() instanceof Outcome.Ok ok && ok.answer() instanceof Answer.Rows rows
        ? rows.rows()
        : Collections.emptySortedMap();
  }

  private static History with(History history, Operation operation, Answer answer) {
    List<Operation> operations = new ArrayList<>(history.operations());
    operations.remove(operation);
    operations.add(
        new Operation(
            operation.id(),
            operation.client(),
            operation.action(),
            operation.invokedNanos(),
            operation.completedNanos(),
            new Outcome.Ok(answer)));
    return new History(operations);
  }
}
