package io.quorate.replication.coded;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BodyNumbersTest {
  private final BodyNumbers numbers = new BodyNumbers(4);

  @Test
  void aNumberIsAssignedOnce() {
    assertThat(numbers.assign()).isZero();
    numbers.finish(0);
    assertThat(numbers.assign()).isEqualTo(1);
  }

  @Test
  void theFloorIsTheLowestNumberInProgress() {
    for (int i = 0; i < 3; i++) {
      numbers.assign();
    }
    assertThat(numbers.floor()).isZero();
    numbers.finish(1);
    assertThat(numbers.floor()).isZero();
    numbers.finish(0);
    assertThat(numbers.floor()).isEqualTo(2);
    numbers.finish(2);
    assertThat(numbers.floor()).isEqualTo(3);
  }
}
