package io.quorate.torture.checker;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.torture.history.Action;
import io.quorate.torture.history.History;
import io.quorate.torture.history.Operation;
import io.quorate.torture.history.Outcome;
import io.quorate.torture.history.Result;
import io.quorate.torture.invariants.Invariants;
import io.quorate.torture.model.Replay;
import io.quorate.torture.model.Simulation;
import io.quorate.torture.model.Simulation.Misbehaviour;
import io.quorate.torture.model.Simulation.Shape;
import io.quorate.torture.model.Workload;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Histories as long as recorded ones. */
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
    History correct = fiveHotKeys();
    assertExplained(correct);
    assertThat(Invariants.findings(correct)).isEmpty();

    Operation stale = aReadInTheMiddle(correct);
    assertThat(CHECKER.checkKeys(withOldResult(correct, stale)))
        .isInstanceOfSatisfying(
            Verdict.Violation.class,
            violation -> assertThat(violation.explanation()).contains("#" + stale.id() + " get"));
  }

  @Test
  @Tag("slow")
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
  void aPartiallyVisibleBatchAmongMany() {
    History correct = Simulation.run(new Shape(16, 20_000, 20, 5), SCANS, Misbehaviour.NONE, SEED);
    Operation scan = aScanOfAWholeBatchInTheMiddle(correct);
    TreeMap<String, String> rows = new TreeMap<>(rows(scan));
    String key = rows.firstKey();
    rows.put(key, rowLongBefore(correct, key));
    assertThat(CHECKER.checkAtomicity(with(correct, scan, new Result.Rows(rows))))
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
    List<Verdict.Linearization> orders = ((Verdict.Linearizable) verdict).orders();
    for (Partition.Group group : Partition.byConnection(history)) {
      Verdict.Linearization linearization =
          orders.stream().filter(order -> order.keys().equals(group.keys())).findFirst().get();
      assertThat(Replay.fault(group.operations(), linearization.order())).isEmpty();
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
        ? ((Result.Found) ok.result()).value()
        : Optional.empty();
  }

  /** The same history, except that the read returns a value that was read long before. */
  private static History withOldResult(History history, Operation read) {
    Optional<String> old =
        history.operations().stream()
            .skip(history.size() / 4)
            .map(LargeHistoriesTest::found)
            .flatMap(Optional::stream)
            .findFirst();
    return with(history, read, new Result.Found(old));
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
    return operation.outcome() instanceof Outcome.Ok ok && ok.result() instanceof Result.Rows rows
        ? rows.rows()
        : Collections.emptySortedMap();
  }

  private static History with(History history, Operation operation, Result result) {
    List<Operation> operations = new ArrayList<>(history.operations());
    operations.remove(operation);
    operations.add(
        new Operation(
            operation.id(),
            operation.client(),
            operation.action(),
            operation.invokedNanos(),
            operation.completedNanos(),
            new Outcome.Ok(result)));
    return new History(operations);
  }
}
