package io.quorate.storage.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.storage.TestRegion;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class DecimalNumberTest {
  @Test
  void numbersOf64BitsAreParsedAndAddedExactly() {
    for (long number : new long[] {0, 1, -1, Long.MAX_VALUE, Long.MIN_VALUE}) {
      ByteBuffer text = DecimalNumber.format(number);
      assertThat(DecimalNumber.parse(text)).hasValue(number);
      assertThat(text.position()).isZero();
    }
    assertThat(DecimalNumber.parse(TestRegion.bytes("-9223372036854775809"))).isEmpty();
    assertThat(DecimalNumber.parse(TestRegion.bytes("99999999999999999999"))).isEmpty();
    assertThat(DecimalNumber.parse(TestRegion.bytes("0000000000000000000000012"))).hasValue(12);
    assertThat(DecimalNumber.add(Long.MAX_VALUE, 1)).isEmpty();
    assertThat(DecimalNumber.add(Long.MIN_VALUE, -1)).isEmpty();
    assertThat(DecimalNumber.add(Long.MIN_VALUE, Long.MAX_VALUE)).hasValue(-1);
  }
}
