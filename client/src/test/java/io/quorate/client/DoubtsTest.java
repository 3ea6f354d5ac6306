package io.quorate.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.NodeId;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class DoubtsTest {
  private static final NodeId NODE = new NodeId("n1");

  private final Doubts doubts = new Doubts();
  // Near the end of the clock's range: it may wrap.
  private long nanos = Long.MAX_VALUE - 1;

  private void pass(Duration time) {
    nanos += time.toNanos();
  }

  private boolean isDoubted() {
    return doubts.doubts(NODE, nanos);
  }

  @Test
  void aDoubtPasses() {
    assertThat(isDoubted()).isFalse();
    doubts.failed(NODE, nanos);
    assertThat(isDoubted()).isTrue();
    assertThat(doubts.doubts(new NodeId("n2"), nanos)).isFalse();

    pass(Doubts.FIRST);
    assertThat(isDoubted()).isFalse();
  }

  @Test
  void anAnswerEndsIt() {
    doubts.failed(NODE, nanos);
    doubts.answered(NODE);

    assertThat(isDoubted()).isFalse();
  }

  @Test
  void aDoubtThatProvesTrueLastsLongerUpToABound() {
    Duration expected = Doubts.FIRST;
    for (int i = 0; i < 10; i++) {
      doubts.failed(NODE, nanos);
      pass(expected.minusNanos(1));
      assertThat(isDoubted()).as("after %d failures", i + 1).isTrue();
      pass(Duration.ofNanos(1));
      assertThat(isDoubted()).as("after %d failures", i + 1).isFalse();
      Duration doubled = expected.multipliedBy(2);
      expected = doubled.compareTo(Doubts.MOST) < 0 ? doubled : Doubts.MOST;
    }
  }

  @Test
  void oneRequestTriesANodeAndTheOthersWaitForIt() {
    assertThat(doubts.admits(NODE, nanos)).isTrue();
    doubts.failed(NODE, nanos);
    assertThat(doubts.admits(NODE, nanos)).isFalse();

    pass(Doubts.FIRST);
    assertThat(doubts.admits(NODE, nanos)).as("the one that tries").isTrue();
    assertThat(doubts.admits(NODE, nanos)).isFalse();
    pass(Doubts.FIRST);
    doubts.failed(NODE, nanos);
    assertThat(doubts.admits(NODE, nanos)).isFalse();
    pass(Doubts.FIRST);
    assertThat(doubts.admits(NODE, nanos)).as("twice the time later").isTrue();

    doubts.answered(NODE);
    assertThat(doubts.admits(NODE, nanos)).isTrue();
    assertThat(doubts.admits(NODE, nanos)).isTrue();
  }

  @Test
  void whatManyCallsFindOutTogetherCountsOnce() {
    for (int i = 0; i < 1000; i++) {
      doubts.failed(NODE, nanos);
    }

    pass(Doubts.FIRST);
    assertThat(isDoubted()).isFalse();
  }
}
