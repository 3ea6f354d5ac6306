package io.quorate.server.verification.invariants;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.server.verification.history.Action;
import io.quorate.server.verification.history.Answer;
import io.quorate.server.verification.history.History;
import io.quorate.server.verification.model.BruteForce;
import io.quorate.server.verification.model.Mutation;
import io.quorate.server.verification.model.Script;
import io.quorate.server.verification.model.Simulation;
import io.quorate.server.verification.model.Simulation.Misbehaviour;
import io.quorate.server.verification.model.Simulation.Shape;
import io.quorate.server.verification.model.Workload;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InvariantsTest {
  private static final List<String> KEYS = List.of("a", "b");
  private static final Answer SWAPPED = new Answer.Swap(true, Optional.empty());

  private static void assertFound(Script script, String... what) {
    assertThat(Invariants.findings(script.history())).extracting(Finding::what).contains(what);
  }

  @Test
  void aValueThatNobodyWrote() {
    assertFound(new Script().get(0, 1, "k", "a"), "a value was seen that nobody wrote");
  }

  @Test
  void aValueWhoseWriteHadFailed() {
    assertFound(
        new Script().failed(0, 1, new Action.Put("k", "a")).get(2, 3, "k", "a"),
        "a value was seen whose write had failed");
  }

  @Test
  void aValueFromTheFuture() {
    assertFound(
        new Script().get(0, 1, "k", "a").put(2, 3, "k", "a"),
        "a value was seen before its write began");
  }

  @Test
  void aValueThatIsReplacedTwice() {
    Optional<String> a = Optional.of("a");
    assertFound(
        new Script()
            .put(0, 1, "k", "a")
            .ok(2, 3, new Action.CompareAndSet("k", a, Optional.empty()), SWAPPED)
            .ok(4, 5, new Action.GetAndPut("k", "b"), new Answer.Found(a)),
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
        "an element was seen twice",
        "an element is missing whose append was over",
        "two values were seen that cannot follow each other",
        "something was seen that nobody appended");
  }

  @Test
  void increments() {
    assertFound(
        new Script()
            .done(0, 1, new Action.Increment("k", 1))
            .indeterminate(0, 1, new Action.Increment("k", 1))
            .getNothing(2, 3, "k")
            .get(4, 5, "k", "3")
            .ok(6, 7, new Action.IncrementAndGet("k", 1), new Answer.Sum(2))
            .ok(8, 9, new Action.IncrementAndGet("k", 1), new Answer.Sum(2)),
        "less than the acknowledged sum 1",
        "more than the sum of all that had begun, 2",
        "a sum was answered twice");
  }

  /** What is found in a history is never wrong: it is linearizable only if nothing is found. */
  @ParameterizedTest
  @ValueSource(strings = {"values", "numbers", "lists", "scans", "everything"})
  void whatIsFoundIsAViolation(String name) {
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
