package io.quorate.torture.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class HistoryRecorderTest {
  private final AtomicLong clock = new AtomicLong();
  private final HistoryRecorder recorder = new HistoryRecorder(clock::incrementAndGet);

  @Test
  void recordsActionsOutcomesAndTimes() {
    Action get = new Action.Get("k");
    Action put = new Action.Put("k", "a");
    Result found = new Result.Found(Optional.of("a"));
    HistoryRecorder.Pending first = recorder.begin(7, put);
    HistoryRecorder.Pending second = recorder.begin(8, get);
    HistoryRecorder.Pending third = recorder.begin(9, put);
    second.complete(new Outcome.Ok(found));
    first.complete(Outcome.INDETERMINATE);
    third.complete(Outcome.FAILED);
    assertThat(recorder.history().operations())
        .containsExactly(
            new Operation(0, 7, put, 1, 5, Outcome.INDETERMINATE),
            new Operation(1, 8, get, 2, 4, new Outcome.Ok(found)),
            new Operation(2, 9, put, 3, 6, Outcome.FAILED));
    assertThat(recorder.begun()).isEqualTo(3);
  }

  @Test
  void anOperationThatIsNotCompleteIsIndeterminate() {
    Action put = new Action.Put("k", "a");
    HistoryRecorder.Pending pending = recorder.begin(1, put);
    assertThat(recorder.history().operations())
        .containsExactly(new Operation(0, 1, put, 1, 2, Outcome.INDETERMINATE));
    pending.complete(new Outcome.Ok(Result.DONE));
    assertThat(recorder.history().operations())
        .containsExactly(new Operation(0, 1, put, 1, 3, new Outcome.Ok(Result.DONE)));
  }

  @Test
  void anOperationCompletesOnce() {
    HistoryRecorder.Pending pending = recorder.begin(1, new Action.Delete("k"));
    pending.complete(Outcome.FAILED);
    assertThatThrownBy(() -> pending.complete(Outcome.INDETERMINATE))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aResultMustFitItsAction() {
    HistoryRecorder.Pending pending = recorder.begin(1, new Action.Delete("k"));
    assertThatThrownBy(() -> pending.complete(new Outcome.Ok(new Result.Sum(1))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("delete k, cannot have the result 1");
  }
}
