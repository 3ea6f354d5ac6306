package io.quorate.client.internal.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.model.NodeId;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SuspectListTest {
  private static final NodeId NODE = new NodeId("n1");

  private final SuspectList suspects = new SuspectList();
  // Close to the maximum value, so that the clock overflows in the tests.
  private long nanos = Long.MAX_VALUE - 1;

  private void advance(Duration time) {
    nanos += time.toNanos();
  }

  private boolean isSuspected() {
    return suspects.isSuspected(NODE, nanos);
  }

  @Test
  void aSuspicionExpires() {
    assertThat(isSuspected()).isFalse();
    suspects.failed(NODE, nanos);
    assertThat(isSuspected()).isTrue();
    assertThat(suspects.isSuspected(new NodeId("n2"), nanos)).isFalse();

    advance(SuspectList.SUSPICION_INITIAL);
    assertThat(isSuspected()).isFalse();
  }

  @Test
  void aResponseClearsTheSuspicion() {
    suspects.failed(NODE, nanos);
    suspects.responded(NODE);

    assertThat(isSuspected()).isFalse();
  }

  @Test
  void repeatedFailuresLengthenTheSuspicionUpToABound() {
    Duration expected = SuspectList.SUSPICION_INITIAL;
    for (int i = 0; i < 10; i++) {
      suspects.failed(NODE, nanos);
      advance(expected.minusNanos(1));
      assertThat(isSuspected()).as("after %d failures", i + 1).isTrue();
      advance(Duration.ofNanos(1));
      assertThat(isSuspected()).as("after %d failures", i + 1).isFalse();
      Duration doubled = expected.multipliedBy(2);
      expected =
          doubled.compareTo(SuspectList.SUSPICION_MAX) < 0 ? doubled : SuspectList.SUSPICION_MAX;
    }
  }

  @Test
  void oneProbeIsAdmittedWhenASuspicionExpires() {
    assertThat(suspects.admits(NODE, nanos)).isTrue();
    suspects.failed(NODE, nanos);
    assertThat(suspects.admits(NODE, nanos)).isFalse();

    advance(SuspectList.SUSPICION_INITIAL);
    assertThat(suspects.admits(NODE, nanos)).as("the probe").isTrue();
    assertThat(suspects.admits(NODE, nanos)).isFalse();
    advance(SuspectList.SUSPICION_INITIAL);
    suspects.failed(NODE, nanos);
    assertThat(suspects.admits(NODE, nanos)).isFalse();
    advance(SuspectList.SUSPICION_INITIAL);
    assertThat(suspects.admits(NODE, nanos)).as("after twice the time").isTrue();

    suspects.responded(NODE);
    assertThat(suspects.admits(NODE, nanos)).isTrue();
    assertThat(suspects.admits(NODE, nanos)).isTrue();
  }

  @Test
  void simultaneousFailuresCountOnce() {
    for (int i = 0; i < 1000; i++) {
      suspects.failed(NODE, nanos);
    }

    advance(SuspectList.SUSPICION_INITIAL);
    assertThat(isSuspected()).isFalse();
  }
}
