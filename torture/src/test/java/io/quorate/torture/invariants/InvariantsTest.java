package io.quorate.torture.invariants;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.torture.history.Action;
import io.quorate.torture.history.History;
import io.quorate.torture.history.Result;
import io.quorate.torture.model.BruteForce;
import io.quorate.torture.model.Mutation;
import io.quorate.torture.model.Script;
import io.quorate.torture.model.Simulation;
import io.quorate.torture.model.Simulation.Misbehaviour;
import io.quorate.torture.model.Simulation.Shape;
import io.quorate.torture.model.Workload;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InvariantsTest {
  private static final List<String> KEYS = List.of("a", "b");
  private static final Result SWAPPED = new Result.Swap(true, Optional.empty());

  private static void assertFound(Script script, String... what) {
    assertThat(Invariants.findings(script.history())).extracting(Finding::what).contains(what);
  }

  @Test
  void aValueThatWasNeverWritten() {
    assertFound(new Script().get(0, 1, "k", "a"), "a value was observed that was never written");
  }

  @Test
  void aValueWhoseWriteHadFailed() {
    assertFound(
        new Script().failed(0, 1, new Action.Put("k", "a")).get(2, 3, "k", "a"),
        "a value was observed whose write had failed");
  }

  @Test
  void aValueFromTheFuture() {
    assertFound(
        new Script().get(0, 1, "k", "a").put(2, 3, "k", "a"),
        "a value was observed before its write was invoked");
  }

  @Test
  void aValueThatIsReplacedTwice() {
    Optional<String> a = Optional.of("a");
    assertFound(
        new Script()
            .put(0, 1, "k", "a")
            .ok(2, 3, new Action.CompareAndSet("k", a, Optional.empty()), SWAPPED)
            .ok(4, 5, new Action.GetAndPut("k", "b"), new Result.Found(a)),
        "a value that was written once was replaced twice");
  }

  @Test
  void elementsThatAreTwiceMissingOrInAnotherOrder() {
    assertFound(
        new Script()
            .done(0, 1, new Action.Append("k", "a;"))
            .done(0, 1, new Action.Append("k", "b;"))
            .get(2, 3, "k", "a;a;")
            .get(2, 3, "k", "b;a;")
            .get(2, 3, "k", "a;b;c;"),
        "an element was observed twice",
        "an element is missing whose append had completed",
        "two observed values of which neither is a prefix of the other",
        "an element was observed that was never appended");
  }

  @Test
  void increments() {
    assertFound(
        new Script()
            .done(0, 1, new Action.Increment("k", 1))
            .indeterminate(0, 1, new Action.Increment("k", 1))
            .getNothing(2, 3, "k")
            .get(4, 5, "k", "3")
            .ok(6, 7, new Action.IncrementAndGet("k", 1), new Result.Sum(2))
            .ok(8, 9, new Action.IncrementAndGet("k", 1), new Result.Sum(2)),
        "less than the acknowledged sum 1",
        "more than the sum of all invoked, 2",
        "a sum was returned twice");
  }

  /** A finding is never wrong: a history with findings is not linearizable. */
  @ParameterizedTest
  @ValueSource(strings = {"values", "numbers", "lists", "scans", "everything"})
  void everyFindingIsAViolation(String name) {
    Workload workload =
        switch (name) {
          case "values" -> Workload.uniqueValues(KEYS);
          case "numbers" -> Workload.counters(KEYS);
          case "lists" -> Workload.lists(KEYS, 1_000);
          case "scans" -> Workload.scansAndBatches(KEYS);
          default -> Workload.everythingWithScansAndBatches(KEYS);
        };
    int found = 0;
    for (long seed = 0; seed < 1_000; seed++) {
      Random random = new Random(seed);
      Misbehaviour[] misbehaviours = Misbehaviour.values();
      Misbehaviour misbehaviour = misbehaviours[random.nextInt(misbehaviours.length)];
      History history = Simulation.run(new Shape(3, 12, 150, 50), workload, misbehaviour, seed);
      Mutation[] mutations = Mutation.values();
      history = mutations[random.nextInt(mutations.length)].apply(history, random);
      List<Finding> findings = Invariants.findings(history);
      if (!findings.isEmpty()) {
        found++;
        assertThat(BruteForce.isLinearizable(history)).as("seed %d: %s", seed, findings).isFalse();
      }
    }
    assertThat(found).isPositive();
  }
}
