package io.quorate.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class Utf8Test {
  @ParameterizedTest
  @ValueSource(strings = {"", "a", "\u00e9", "\u20ac", "\ud83d\ude00", "x\ud83d\ude00y", "\ufffd?"})
  void aTextIsTheSameAfterEncodingAndDecoding(String text) {
    assertThat(Utf8.bytes(text)).isEqualTo(text.getBytes(StandardCharsets.UTF_8));
    assertThat(Utf8.text(Utf8.bytes(text))).contains(text);
  }

  @Test
  void halfOfASurrogatePairIsRefused() {
    // Not as a source of parameters: reports of tests are in UTF-8.
    String high = String.valueOf((char) 0xd83d);
    String low = String.valueOf((char) 0xde00);
    for (String half : new String[] {high, low, low + high, high + high + low, "ab" + high + "c"}) {
      assertThatThrownBy(() -> Utf8.bytes(half))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("half of a surrogate pair, at index");
    }
  }

  /** Bytes that begin nothing, too few of them, surrogates, and too long a form. */
  @ParameterizedTest
  @ValueSource(strings = {"ff00", "80", "c3", "e282", "eda080", "c0af", "f4908080"})
  void whatIsNotUtf8IsNoText(String hex) {
    assertThat(Utf8.text(HexFormat.of().parseHex(hex))).isEmpty();
  }
}
