package io.quorate.torture.checker;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.torture.history.Action;
import io.quorate.torture.history.Operation;
import io.quorate.torture.history.Result;
import io.quorate.torture.model.Script;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Histories that are obviously linearizable or not. */
class KnownHistoriesTest {
  private static final Result SWAPPED = new Result.Swap(true, Optional.empty());

  private static Action swap(String expected, String replacement) {
    return new Action.CompareAndSet("k", Optional.of(expected), Optional.of(replacement));
  }

  private static Action batch(Action.Change... changes) {
    return new Action.Batch(List.of(changes));
  }

  private static void assertGood(Script script) {
    assertThat(check(script)).isInstanceOf(Verdict.Linearizable.class);
  }

  private static void assertBad(Script script) {
    assertThat(check(script)).isInstanceOf(Verdict.Violation.class);
  }

  private static Verdict check(Script script) {
    return new LinearizabilityChecker(SearchLimits.DEFAULT).checkAtomicity(script.history());
  }

  @Nested
  class Registers {
    @Test
    void anEmptyHistory() {
      assertGood(new Script());
    }

    @Test
    void readsThatOverlapAWriteMayReturnEitherValue() {
      assertGood(
          new Script()
              .put(0, 10, "k", "a")
              .put(20, 50, "k", "b")
              .get(25, 35, "k", "a")
              .get(30, 40, "k", "b"));
    }

    @Test
    void aStaleRead() {
      assertBad(new Script().put(0, 10, "k", "a").put(20, 30, "k", "b").get(40, 50, "k", "a"));
    }

    @Test
    void equalTimesOverlap() {
      assertGood(new Script().put(0, 10, "k", "a").put(20, 30, "k", "b").get(30, 40, "k", "a"));
    }

    @Test
    void valuesThatGoBackwardsDuringOneWrite() {
      assertBad(
          new Script()
              .put(0, 10, "k", "a")
              .put(20, 90, "k", "b")
              .get(30, 40, "k", "b")
              .get(50, 60, "k", "a"));
    }

    @Test
    void aReadFromTheFuture() {
      assertBad(new Script().get(0, 10, "k", "a").put(20, 30, "k", "a"));
    }

    @Test
    void aReadOfAValueThatWasNeverWritten() {
      assertBad(new Script().put(0, 10, "k", "a").get(20, 30, "k", "b"));
    }

    @Test
    void aFailedWriteThatIsRead() {
      assertBad(new Script().failed(0, 10, new Action.Put("k", "a")).get(20, 30, "k", "a"));
    }

    @Test
    void twoSwapsFromOneValue() {
      assertBad(
          new Script()
              .put(0, 10, "k", "a")
              .ok(20, 50, swap("a", "b"), SWAPPED)
              .ok(20, 50, swap("a", "c"), SWAPPED));
    }

    @Test
    void twoSwapsFromAValueThatWasRestored() {
      assertGood(
          new Script()
              .put(0, 10, "k", "a")
              .ok(20, 50, swap("a", "b"), SWAPPED)
              .ok(20, 50, swap("a", "c"), SWAPPED)
              .put(20, 50, "k", "a"));
    }

    @Test
    void aSwapThatFoundTheExpectedValueAndDidNotSwap() {
      assertBad(
          new Script()
              .put(0, 10, "k", "a")
              .ok(20, 30, swap("a", "b"), new Result.Swap(false, Optional.of("a"))));
    }

    @Test
    void aLostUpdate() {
      Action get = new Action.GetAndPut("k", "b");
      Action other = new Action.GetAndPut("k", "c");
      Result a = new Result.Found(Optional.of("a"));
      assertBad(new Script().put(0, 10, "k", "a").ok(20, 40, get, a).ok(20, 40, other, a));
    }

    @Test
    void aDeletedValueThatIsReadAgain() {
      assertBad(
          new Script()
              .put(0, 10, "k", "a")
              .done(20, 30, new Action.Delete("k"))
              .getNothing(40, 50, "k")
              .get(60, 70, "k", "a"));
    }

    @Test
    void keysAreIndependent() {
      assertGood(
          new Script()
              .put(0, 100, "k", "a")
              .put(0, 100, "l", "b")
              .get(10, 20, "k", "a")
              .getNothing(30, 40, "l")
              .get(50, 60, "l", "b"));
    }
  }

  @Nested
  class IndeterminateOperations {
    private static final Action PUT_B = new Action.Put("k", "b");

    @Test
    void mayNeverTakeEffect() {
      assertGood(
          new Script().put(0, 10, "k", "a").indeterminate(20, 30, PUT_B).get(40, 50, "k", "a"));
    }

    @Test
    void mayTakeEffectLongAfterTheyWereAbandoned() {
      assertGood(
          new Script()
              .put(0, 10, "k", "a")
              .indeterminate(20, 30, PUT_B)
              .get(40, 50, "k", "a")
              .get(60, 70, "k", "b"));
    }

    @Test
    void mayNotAppearDisappearAndAppearAgain() {
      assertBad(
          new Script()
              .put(0, 10, "k", "a")
              .indeterminate(20, 30, PUT_B)
              .get(40, 50, "k", "b")
              .get(60, 70, "k", "a")
              .get(80, 90, "k", "b"));
    }

    @Test
    void mayNotTakeEffectBeforeTheyBegan() {
      assertBad(
          new Script().put(0, 10, "k", "a").get(12, 14, "k", "b").indeterminate(20, 30, PUT_B));
    }

    @Test
    void deleteOnceEach() {
      Script script =
          new Script()
              .put(0, 10, "k", "a")
              .indeterminate(11, 12, new Action.Delete("k"))
              .getNothing(20, 30, "k")
              .put(40, 50, "k", "b")
              .get(52, 58, "k", "b")
              .getNothing(60, 70, "k");
      assertBad(script);
      assertGood(script.indeterminate(13, 14, new Action.Delete("k")));
    }

    @Test
    void swapOnlyTheExpectedValue() {
      Script script =
          new Script()
              .put(0, 10, "k", "a")
              .indeterminate(11, 12, swap("b", "c"))
              .get(20, 30, "k", "c");
      assertBad(script);
      assertGood(script.put(15, 40, "k", "b"));
    }

    @Test
    void readsDoNotMatter() {
      assertGood(new Script().put(0, 10, "k", "a").indeterminate(20, 30, new Action.Get("k")));
    }
  }

  @Nested
  class NumbersAndTexts {
    @Test
    void anIncrementThatIsCountedTwice() {
      assertBad(new Script().done(0, 10, new Action.Increment("k", 1)).get(20, 30, "k", "2"));
    }

    @Test
    void anIncrementOfUnknownOutcomeIsCountedAtMostOnce() {
      Script script =
          new Script()
              .done(0, 10, new Action.Increment("k", 1))
              .indeterminate(0, 10, new Action.IncrementAndGet("k", 1));
      assertGood(script.get(20, 30, "k", "2"));
      assertBad(script.get(40, 50, "k", "3"));
    }

    @Test
    void aValueThatIsNoNumberIsNotIncremented() {
      assertGood(
          new Script()
              .put(0, 10, "k", "a")
              .done(20, 30, new Action.Increment("k", 1))
              .ok(40, 50, new Action.IncrementAndGet("k", 1), Result.REFUSED)
              .get(60, 70, "k", "a"));
    }

    @Test
    void aRefusalToIncrementANumber() {
      assertBad(
          new Script()
              .put(0, 10, "k", "-007")
              .ok(40, 50, new Action.IncrementAndGet("k", 1), Result.REFUSED));
    }

    @Test
    void numbersAreReadInAnyFormAndWrittenInTheShortest() {
      assertGood(
          new Script()
              .put(0, 10, "k", "-007")
              .ok(20, 30, new Action.IncrementAndGet("k", 7), new Result.Sum(0))
              .get(40, 50, "k", "0"));
    }

    @Test
    void aSumThatDoesNotFitChangesNothing() {
      String largest = Long.toString(Long.MAX_VALUE);
      assertGood(
          new Script()
              .put(0, 10, "k", largest)
              .done(20, 30, new Action.Increment("k", 1))
              .ok(40, 50, new Action.IncrementAndGet("k", 1), Result.REFUSED)
              .get(60, 70, "k", largest));
    }

    @Test
    void anElementThatIsAppendedTwice() {
      assertBad(
          new Script()
              .done(0, 10, new Action.Append("k", "a;"))
              .done(20, 30, new Action.Append("k", "b;"))
              .get(40, 50, "k", "a;b;a;"));
    }

    @Test
    void elementsInTheOrderOfTheirAppends() {
      Script script =
          new Script()
              .done(0, 10, new Action.Append("k", "a;"))
              .done(0, 10, new Action.Append("k", "b;"))
              .get(20, 30, "k", "b;a;");
      assertGood(script);
      assertBad(script.get(40, 50, "k", "a;b;"));
    }
  }

  @Nested
  class SeveralKeys {
    private static final Action ALL = new Action.Scan("a", "z");

    private static Result rows(String... keysAndValues) {
      Map<String, String> rows = new TreeMap<>();
      for (int i = 0; i < keysAndValues.length; i += 2) {
        rows.put(keysAndValues[i], keysAndValues[i + 1]);
      }
      return Result.Rows.of(rows);
    }

    private static Script aAndBThenBatch() {
      return new Script()
          .put(0, 10, "a", "a1")
          .put(0, 10, "b", "b1")
          .done(20, 60, batch(new Action.Put("a", "a2"), new Action.Put("b", "b2")));
    }

    @Test
    void aScanBeforeAndOneAfterABatch() {
      assertGood(
          aAndBThenBatch()
              .ok(30, 40, ALL, rows("a", "a1", "b", "b1"))
              .ok(30, 40, ALL, rows("a", "a2", "b", "b2")));
    }

    @Test
    void aPartiallyVisibleBatch() {
      assertBad(aAndBThenBatch().ok(30, 40, ALL, rows("a", "a2", "b", "b1")));
    }

    @Test
    void aBatchPartiallyVisibleToSingleReads() {
      assertBad(aAndBThenBatch().get(30, 35, "a", "a2").get(40, 45, "b", "b1"));
    }

    @Test
    void aPartiallyVisibleIndeterminateBatch() {
      Action batch = batch(new Action.Put("a", "a2"), new Action.Put("b", "b2"));
      assertBad(
          new Script()
              .put(0, 10, "b", "b1")
              .indeterminate(20, 30, batch)
              .get(40, 50, "a", "a2")
              .get(60, 70, "b", "b1"));
    }

    @Test
    void aTornScan() {
      Script script =
          new Script()
              .put(0, 10, "a", "a1")
              .put(0, 10, "b", "b1")
              .put(20, 30, "a", "a2")
              .put(40, 50, "b", "b2")
              .ok(15, 60, ALL, rows("a", "a1", "b", "b2"));
      assertBad(script);
      assertThat(new LinearizabilityChecker(SearchLimits.DEFAULT).checkKeys(script.history()))
          .as("each key by itself is linearizable")
          .isInstanceOf(Verdict.Linearizable.class);
    }

    @Test
    void twoScansThatReturnTwoWritesInOppositeOrder() {
      assertBad(
          new Script()
              .put(0, 100, "a", "a1")
              .put(0, 100, "b", "b1")
              .ok(0, 100, ALL, rows("a", "a1"))
              .ok(0, 100, ALL, rows("b", "b1")));
    }

    @Test
    void aScanThatMissesARow() {
      assertBad(
          new Script()
              .put(0, 10, "a", "a1")
              .put(0, 10, "b", "b1")
              .ok(20, 30, ALL, rows("a", "a1")));
    }

    @Test
    void inABatchTheLastChangeOfAKeyCounts() {
      assertGood(
          new Script()
              .done(0, 10, batch(new Action.Put("a", "a1"), new Action.Delete("a")))
              .ok(20, 30, ALL, rows()));
    }
  }

  @Nested
  class Explanations {
    @Test
    void nameTheOperationsThatCannotBePlaced() {
      Verdict verdict =
          check(new Script().put(0, 10, "k", "a").put(20, 30, "k", "b").get(40, 50, "k", "a"));
      assertThat(verdict)
          .isInstanceOfSatisfying(
              Verdict.Violation.class,
              violation -> {
                assertThat(violation.keys()).containsExactly("k");
                assertThat(violation.unplaceable()).extracting(Operation::id).contains(2L);
                assertThat(violation.explanation())
                    .contains("#0 put k \"a\" -> done", "#2 get k -> \"a\"", "====");
              });
    }

    @Test
    void showTheLongestPrefix() {
      Verdict verdict =
          check(
              new Script()
                  .done(0, 10, new Action.Increment("k", 1))
                  .done(20, 30, new Action.Increment("k", 1))
                  .get(40, 50, "k", "2")
                  .get(60, 70, "k", "1"));
      assertThat(verdict)
          .isInstanceOfSatisfying(
              Verdict.Violation.class,
              violation -> assertThat(violation.prefix()).extracting(Operation::id).startsWith(0L));
    }
  }

  @Test
  void aReachedLimitIsNotAPass() {
    Script script = new Script();
    for (int i = 0; i < 10; i++) {
      script.done(0, 100, new Action.Append("k", Integer.toString(i)));
      script.done(0, 100, new Action.Delete("k"));
    }
    script.get(0, 100, "k", "9876543219");
    Verdict verdict =
        new LinearizabilityChecker(new SearchLimits(50, 1 << 20)).checkKeys(script.history());
    assertThat(verdict).isInstanceOf(Verdict.Unknown.class);
    assertThat(verdict.isPass()).isFalse();
    assertThat(verdict.toString()).startsWith("UNKNOWN").contains("50 configurations");
  }
}
