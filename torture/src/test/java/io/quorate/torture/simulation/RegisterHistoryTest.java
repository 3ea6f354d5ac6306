package io.quorate.torture.simulation;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class RegisterHistoryTest {
  private final RegisterHistory history = new RegisterHistory("k");

  private void write(int value, long began, long ended) {
    history.endWrite(history.beginWrite(value, began), ended);
  }

  @Test
  void readsOfPresentValuesAreAccepted() {
    history.read(0, 0, 1);
    write(1, 2, 4);
    history.read(1, 3, 5);
    write(2, 6, 9);
    history.read(1, 7, 8);
    history.read(2, 8, 10);
    assertThatCode(() -> history.check()).doesNotThrowAnyException();
  }

  @Test
  void aReadOfAValueThatWasOverwrittenBeforeItBeganIsFound() {
    write(1, 0, 1);
    write(2, 2, 3);
    history.read(1, 4, 5);
    assertThatThrownBy(() -> history.check()).isInstanceOf(Violation.class);
  }

  @Test
  void readsThatReturnToAnOlderValueAreFound() {
    write(1, 0, 1);
    write(2, 2, 20);
    history.read(2, 3, 4);
    history.read(1, 5, 6);
    assertThatThrownBy(() -> history.check()).isInstanceOf(Violation.class);
  }

  @Test
  void aWriteWithoutAResponseMayTakeEffectLateOrNever() {
    history.beginWrite(1, 0);
    write(2, 1, 2);
    history.read(2, 3, 4);
    history.read(1, 5, 6);
    assertThatCode(() -> history.check()).doesNotThrowAnyException();
    history.read(2, 7, 8);
    assertThatThrownBy(() -> history.check()).isInstanceOf(Violation.class);
  }

  @Test
  void aValueThatWasNeverWrittenIsFound() {
    write(1, 0, 1);
    history.read(7, 2, 3);
    assertThatThrownBy(() -> history.check()).isInstanceOf(Violation.class);
  }
}
