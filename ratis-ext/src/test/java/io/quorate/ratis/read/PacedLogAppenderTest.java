package io.quorate.ratis.read;

import static io.quorate.ratis.read.PacedLogAppender.PAUSE_MILLIS;
import static io.quorate.ratis.read.PacedLogAppender.waitMillis;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PacedLogAppenderTest {
  private static final long TIMEOUT_MILLIS = 1000;

  @Test
  void aResponsiveFollowerIsSentRequestsAtOnce() {
    assertThat(waitMillis(0, 5, TIMEOUT_MILLIS, false)).isZero();
    assertThat(waitMillis(0, TIMEOUT_MILLIS, TIMEOUT_MILLIS, false)).isZero();
  }

  @Test
  void anUnreachableFollowerIsRetriedAfterAPause() {
    assertThat(waitMillis(0, TIMEOUT_MILLIS + 1, TIMEOUT_MILLIS, false)).isEqualTo(PAUSE_MILLIS);
  }

  @Test
  void aThrottledFollowerIsRetriedAfterAPause() {
    assertThat(waitMillis(0, 5, TIMEOUT_MILLIS, true)).isEqualTo(PAUSE_MILLIS);
  }

  @Test
  void aLongerWaitOfRatisIsKept() {
    assertThat(waitMillis(500, TIMEOUT_MILLIS + 1, TIMEOUT_MILLIS, true)).isEqualTo(500);
  }
}
