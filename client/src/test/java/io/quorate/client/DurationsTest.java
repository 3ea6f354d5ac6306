package io.quorate.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DurationsTest {
  @ParameterizedTest
  @ValueSource(strings = {"250ms", "2s", "5m", "90s", "0s"})
  void parsedTextIsFormattedIdentically(String text) {
    assertThat(Durations.text(Durations.parse(text))).isEqualTo(text);
  }

  @Test
  void theLargestWholeUnitIsUsed() {
    assertThat(Durations.text(Duration.ofMillis(60_000))).isEqualTo("1m");
    assertThat(Durations.text(Duration.ofMillis(1500))).isEqualTo("1500ms");
    assertThat(Durations.text(Duration.ofNanos(1))).isEqualTo("1ms");
    assertThat(Durations.text(Duration.ZERO)).isEqualTo("0s");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "5", "s", "-1s", "1.5s", "1h", "1 s"})
  void otherTextIsRejected(String text) {
    assertThatThrownBy(() -> Durations.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("250ms");
  }

  @Test
  void theLongestDurationsHaveText() {
    assertThat(Durations.text(Duration.ofSeconds(Long.MAX_VALUE))).isEqualTo("153722867280912930m");
    assertThat(Durations.text(Duration.ofSeconds(Long.MIN_VALUE)))
        .isEqualTo("-153722867280912930m");
    assertThatThrownBy(() -> ClientOptions.requireDeadline(Duration.ofSeconds(Long.MAX_VALUE)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at most 5m");
  }
}
