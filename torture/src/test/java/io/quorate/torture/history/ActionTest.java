package io.quorate.torture.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ActionTest {
  private static final Action PUT = new Action.Put("b", "1");

  /** Each action, with a result that it can have. */
  private static final Map<Action, Result> ALL =
      Map.of(
          new Action.Get("a"),
          new Result.Found(Optional.of("1")),
          PUT,
          Result.DONE,
          new Action.Delete("a"),
          Result.DONE,
          new Action.CompareAndSet("a", Optional.empty(), Optional.of("1")),
          new Result.Swap(false, Optional.of("2")),
          new Action.Increment("a", 1),
          Result.DONE,
          new Action.IncrementAndGet("a", 1),
          new Result.Sum(2),
          new Action.Append("a", "1"),
          Result.DONE,
          new Action.GetAndPut("a", "1"),
          new Result.Found(Optional.empty()),
          new Action.Batch(List.of((Action.Change) PUT, new Action.Delete("a"))),
          Result.DONE,
          new Action.Scan("a", "c"),
          Result.Rows.of(Map.of("b", "1")));

  @Test
  void everyActionHasAKindAndAWordOfItsOwn() {
    assertThat(ALL.keySet().stream().map(Object::getClass))
        .containsExactlyInAnyOrderElementsOf(records(Action.class).toList());
    assertThat(ALL.keySet().stream().map(Action::kind))
        .containsExactlyInAnyOrder(Action.Kind.values());
    assertThat(Stream.of(Action.Kind.values()).map(Action.Kind::word)).doesNotHaveDuplicates();
  }

  @Test
  void everyActionIsDecodedAsItWasEncoded() {
    ALL.forEach(
        (action, result) -> {
          Operation operation = new Operation(1, 2, action, 3, 4, new Outcome.Ok(result));
          assertThat(OperationCodec.decode(OperationCodec.encode(operation))).isEqualTo(operation);
        });
  }

  @Test
  void theKeysOfAScanAreThoseOfItsRangeAndOfItsRows() {
    Action scan = new Action.Scan("a", "c");
    assertThat(scan.keys()).isEmpty();
    assertThat(scan.keysAmong(new TreeSet<>(Set.of("0", "a", "b", "c")))).containsExactly("a", "b");
    assertThat(new Operation(1, 2, scan, 3, 4, new Outcome.Ok(ALL.get(scan))).keys())
        .containsExactly("b");
    assertThat(new Operation(1, 2, scan, 3, 4, Outcome.FAILED).keys()).isEmpty();
  }

  private static Stream<Class<?>> records(Class<?> type) {
    return type.isRecord()
        ? Stream.of(type)
        : Arrays.stream(type.getPermittedSubclasses()).flatMap(ActionTest::records);
  }
}
