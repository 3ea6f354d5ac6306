package io.quorate.replication.erasure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CodeShapeTest {
  @ParameterizedTest
  @CsvSource({"0, 1", "-1, 3", "1, -1", "256, 1", "1, 256", "2147483647, 2147483647"})
  void numbersOutOfBoundsAreRejected(int data, int parity) {
    assertThatThrownBy(() -> new CodeShape(data, parity))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(data + " + " + parity);
  }

  @Test
  void theLengthOfFragmentsIsRoundedUp() {
    CodeShape shape = new CodeShape(3, 2);
    assertThat(shape.fragments()).isEqualTo(5);
    assertThat(shape.fragmentBytes(0)).isZero();
    assertThat(shape.fragmentBytes(1)).isEqualTo(1);
    assertThat(shape.fragmentBytes(3)).isEqualTo(1);
    assertThat(shape.fragmentBytes(4)).isEqualTo(2);
    assertThat(shape.fragmentBytes(Integer.MAX_VALUE)).isEqualTo(715_827_883);
    assertThat(shape.fragmentBytes(4, 0)).isEqualTo(2);
    assertThat(shape.fragmentBytes(4, 1)).isEqualTo(2);
    assertThat(shape.fragmentBytes(4, 2)).as("the value is cut").isZero();
    assertThat(shape.fragmentBytes(5, 2)).isEqualTo(1);
    assertThat(shape.fragmentBytes(5, 3)).as("parity").isEqualTo(2);
    assertThatThrownBy(() -> shape.fragmentBytes(-1)).isInstanceOf(IllegalArgumentException.class);
  }
}
