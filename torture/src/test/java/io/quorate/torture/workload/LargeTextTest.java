package io.quorate.torture.workload;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LargeTextTest {
  @Test
  void theTextDeterminesAllBytes() {
    for (int i = 0; i < 100; i++) {
      byte[] bytes = LargeText.bytes("Lv" + i);
      assertThat(bytes.length).isGreaterThanOrEqualTo(LargeText.BYTES_MIN);
      assertThat(LargeText.text(bytes)).isEqualTo("Lv" + i);
    }
    assertThat(LargeText.text(LargeText.bytes("v17"))).isEqualTo("v17");
  }

  @Test
  void aValueOfWhichAnyByteDiffersHasAnotherText() {
    for (int at : new int[] {0, 1, 3, 4, 700, LargeText.BYTES_MIN - 1}) {
      byte[] bytes = LargeText.bytes("Lv1");
      bytes[at] ^= 1;
      assertThat(LargeText.text(bytes)).as("byte %d", at).startsWith("a damaged value of ");
    }
  }
}
