package io.quorate.rabia.core.members;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.model.NodeId;
import org.junit.jupiter.api.Test;

class FailureDetectorTest {
  private static final NodeId N2 = new NodeId("n2");
  private static final NodeId N3 = new NodeId("n3");
  private static final long TIMEOUT = 100;
  private static final long TIMEOUT_MAX = 16 * TIMEOUT;

  private final FailureDetector detector = new FailureDetector(TIMEOUT);

  @Test
  void anOwnerIsSuspectedOnceASlotHasBeenOpenForTheTimeout() {
    detector.resolved(N2, 0);
    detector.suspectIfOverdue(N2, 500, 599);
    assertThat(detector.isSuspected(N2)).isFalse();
    detector.suspectIfOverdue(N2, 500, 600);
    assertThat(detector.isSuspected(N2)).isTrue();
    assertThat(detector.isSuspected(N3)).isFalse();
  }

  @Test
  void aResolvedSlotEndsASuspicion() {
    detector.suspectIfOverdue(N2, 0, 100);
    detector.resolved(N2, 101);
    assertThat(detector.isSuspected(N2)).isFalse();
  }

  @Test
  void wrongSuspicionsDoubleTheTimeoutUpToSixteenTimes() {
    long now = 0;
    long timeout = TIMEOUT;
    for (int i = 0; i < 6; i++) {
      detector.resolved(N2, now);
      detector.suspectIfOverdue(N2, now, now + timeout - 1);
      assertThat(detector.isSuspected(N2)).as("after %s", timeout - 1).isFalse();
      detector.suspectIfOverdue(N2, now, now + timeout);
      assertThat(detector.isSuspected(N2)).as("after %s", timeout).isTrue();
      now += timeout;
      timeout = Math.min(TIMEOUT_MAX, 2 * timeout);
    }
  }

  @Test
  void suspicionsThatLastHalveTheTimeout() {
    detector.suspectIfOverdue(N2, 0, TIMEOUT);
    detector.resolved(N2, TIMEOUT);
    detector.suspectIfOverdue(N2, 1_000, 1_000 + 2 * TIMEOUT);
    assertThat(detector.isSuspected(N2)).isTrue();

    long returned = 1_000 + 2 * TIMEOUT + TIMEOUT_MAX;
    detector.resolved(N2, returned);
    detector.suspectIfOverdue(N2, returned, returned + TIMEOUT);

    assertThat(detector.isSuspected(N2)).isTrue();
  }

  @Test
  void aLongTimeWithoutWrongSuspicionsHalvesTheTimeout() {
    detector.suspectIfOverdue(N2, 0, TIMEOUT);
    detector.resolved(N2, TIMEOUT);
    long later = TIMEOUT + 32 * TIMEOUT_MAX;
    detector.resolved(N2, later - 1);
    detector.resolved(N2, later);
    detector.suspectIfOverdue(N2, later, later + TIMEOUT);
    assertThat(detector.isSuspected(N2)).isTrue();
  }

  @Test
  void anOwnerIsSuspectedOnceASlotHasBeenOpenForTheMaximumTimeout() {
    for (long now = 0; now <= TIMEOUT_MAX; now += TIMEOUT / 2) {
      assertThat(detector.isSuspected(N2)).as("at %d", now).isFalse();
      detector.resolved(N2, now);
      detector.suspectIfOverdue(N2, 0, now);
    }
    assertThat(detector.isSuspected(N2)).isTrue();
  }
}
