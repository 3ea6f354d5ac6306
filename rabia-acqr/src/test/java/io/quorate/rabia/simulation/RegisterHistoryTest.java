package io.quorate.rabia.simulation;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class RegisterHistoryTest {
  private final RegisterHistory history = new RegisterHistory();

  private void write(int value, long began, long ended) {
    history.endWrite(history.beginWrite(value, began), ended);
  }

  @Test
  void readsOfWhatWasWrittenAreFine() {
    history.read(0, 0, 1);
    write(1, 2, 4);
    history.read(1, 3, 5);
    write(2, 6, 9);
    history.read(1, 7, 8);
    history.read(2, 8, 10);
    assertThatCode(() -> history.check(0)).doesNotThrowAnyException();
  }

  @Test
  void aReadOfWhatWasOverwrittenBeforeItBeganIsFound() {
    write(1, 0, 1);
    write(2, 2, 3);
    history.read(1, 4, 5);
    assertThatThrownBy(() -> history.check(0)).isInstanceOf(Violation.class);
  }

  @Test
  void readsThatGoBackAreFound() {
    write(1, 0, 1);
    write(2, 2, 20);
    history.read(2, 3, 4);
    history.read(1, 5, 6);
    assertThatThrownBy(() -> history.check(0)).isInstanceOf(Violation.class);
  }

  @Test
  void aWriteWithoutAnAnswerMayTakeEffectLateOrNever() {
    history.beginWrite(1, 0);
    write(2, 1, 2);
    history.read(2, 3, 4);
    history.read(1, 5, 6);
    assertThatCode(() -> history.check(0)).doesNotThrowAnyException();
    history.read(2, 7, 8);
    assertThatThrownBy(() -> history.check(0)).isInstanceOf(Violation.class);
  }

  @Test
  void aValueThatNobodyWroteIsFound() {
    write(1, 0, 1);
    history.read(7, 2, 3);
    assertThatThrownBy(() -> history.check(0)).isInstanceOf(Violation.class);
  }
}
