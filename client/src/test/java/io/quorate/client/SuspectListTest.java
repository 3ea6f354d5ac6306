package io.quorate.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.NodeId;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SuspectListTest {
  private static final NodeId NODE = new NodeId("n1");

  private final SuspectList suspects = new SuspectList();
  // Near the end of the clock's range: it may wrap.
  private long nanos = Long.MAX_VALUE - 1;

  private void pass(Duration time) {
    nanos += time.toNanos();
  }

  private boolean isSuspected() {
    return suspects.isSuspected(NODE, nanos);
  }

  @Test
  void aDoubtPasses() {
    assertThat(isSuspected()).isFalse();
    suspects.failed(NODE, nanos);
    assertThat(isSuspected()).isTrue();
    assertThat(suspects.isSuspected(new NodeId("n2"), nanos)).isFalse();

    pass(SuspectList.SUSPICION_INITIAL);
    assertThat(isSuspected()).isFalse();
  }

  @Test
  void anAnswerEndsIt() {
    suspects.failed(NODE, nanos);
    suspects.responded(NODE);

    assertThat(isSuspected()).isFalse();
  }

  @Test
  void aDoubtThatProvesTrueLastsLongerUpToABound() {
    Duration expected = SuspectList.SUSPICION_INITIAL;
    for (int i = 0; i < 10; i++) {
      suspects.failed(NODE, nanos);
      pass(expected.minusNanos(1));
      assertThat(isSuspected()).as("after %d failures", i + 1).isTrue();
      pass(Duration.ofNanos(1));
      assertThat(isSuspected()).as("after %d failures", i + 1).isFalse();
      Duration doubled = expected.multipliedBy(2);
      expected =
          doubled.compareTo(SuspectList.SUSPICION_MAX) < 0 ? doubled : SuspectList.SUSPICION_MAX;
    }
  }

  @Test
  void oneRequestTriesANodeAndTheOthersWaitForIt() {
    assertThat(suspects.admits(NODE, nanos)).isTrue();
    suspects.failed(NODE, nanos);
    assertThat(suspects.admits(NODE, nanos)).isFalse();

    pass(SuspectList.SUSPICION_INITIAL);
    assertThat(suspects.admits(NODE, nanos)).as("the one that tries").isTrue();
    assertThat(suspects.admits(NODE, nanos)).isFalse();
    pass(SuspectList.SUSPICION_INITIAL);
    suspects.failed(NODE, nanos);
    assertThat(suspects.admits(NODE, nanos)).isFalse();
    pass(SuspectList.SUSPICION_INITIAL);
    assertThat(suspects.admits(NODE, nanos)).as("twice the time later").isTrue();

    suspects.responded(NODE);
    assertThat(suspects.admits(NODE, nanos)).isTrue();
    assertThat(suspects.admits(NODE, nanos)).isTrue();
  }

  @Test
  void whatManyCallsFindOutTogetherCountsOnce() {
    for (int i = 0; i < 1000; i++) {
      suspects.failed(NODE, nanos);
    }

    pass(SuspectList.SUSPICION_INITIAL);
    assertThat(isSuspected()).isFalse();
  }
}
