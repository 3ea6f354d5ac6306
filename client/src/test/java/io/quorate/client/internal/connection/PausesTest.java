package io.quorate.client.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class PausesTest {
  private final Pauses pauses =
      new Pauses(Duration.ofMillis(10), Duration.ofMillis(500), () -> 0.5);

  @Test
  void pausesDoubleUpToTheLongest() {
    assertThat(pauses.after(0)).isEqualTo(Duration.ofMillis(5));
    assertThat(pauses.after(1)).isEqualTo(Duration.ofMillis(10));
    assertThat(pauses.after(30)).isEqualTo(Duration.ofMillis(250));
  }

  @Test
  void pausesAfterUnansweredGreetingsDoubleBeyondFiveSecondsAndAreNotShorterThanAsked() {
    assertThat(pauses.afterGreeting(0, Duration.ZERO)).isEqualTo(Duration.ofNanos(7_500_000));
    assertThat(pauses.afterGreeting(1, Duration.ZERO)).isEqualTo(Duration.ofMillis(15));
    assertThat(pauses.afterGreeting(30, Duration.ZERO)).isEqualTo(Duration.ofSeconds(6));
    assertThat(pauses.afterGreeting(0, Duration.ofSeconds(1))).isEqualTo(Duration.ofSeconds(1));
  }
}
