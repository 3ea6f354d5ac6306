package io.quorate.rabia.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.NodeId;
import org.junit.jupiter.api.Test;

class SuspicionsTest {
  private static final NodeId N2 = new NodeId("n2");
  private static final NodeId N3 = new NodeId("n3");
  private static final long PATIENCE = 100;

  private final Suspicions suspicions = new Suspicions(PATIENCE);

  @Test
  void silenceIsSuspectOnlyFromWhenSomethingIsExpected() {
    suspicions.heard(N2, 0);
    suspicions.expect(N2, 500, 599);
    assertThat(suspicions.isSuspected(N2)).isFalse();
    suspicions.expect(N2, 500, 600);
    assertThat(suspicions.isSuspected(N2)).isTrue();
    assertThat(suspicions.isSuspected(N3)).isFalse();
  }

  @Test
  void aSignOfLifeEndsASuspicion() {
    suspicions.expect(N2, 0, 100);
    suspicions.heard(N2, 101);
    assertThat(suspicions.isSuspected(N2)).isFalse();
  }

  @Test
  void whoWasSuspectedWronglyIsGivenTwiceTheTimeUpToSixteenTimes() {
    long now = 0;
    long patience = PATIENCE;
    for (int i = 0; i < 6; i++) {
      suspicions.heard(N2, now);
      suspicions.expect(N2, now, now + patience - 1);
      assertThat(suspicions.isSuspected(N2)).as("after %s", patience - 1).isFalse();
      suspicions.expect(N2, now, now + patience);
      assertThat(suspicions.isSuspected(N2)).as("after %s", patience).isTrue();
      now += patience;
      patience = Math.min(16 * PATIENCE, 2 * patience);
    }
  }

  @Test
  void whoIsNotSuspectedWronglyForLongIsGivenLessTimeAgain() {
    suspicions.expect(N2, 0, PATIENCE);
    suspicions.heard(N2, PATIENCE);
    long later = PATIENCE + 32 * 16 * PATIENCE;
    suspicions.heard(N2, later - 1);
    suspicions.heard(N2, later);
    suspicions.expect(N2, later, later + PATIENCE);
    assertThat(suspicions.isSuspected(N2)).isTrue();
  }
}
