package io.quorate.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FlowControllerTest {
  private final List<String> admitted = new ArrayList<>();

  private final class TestCandidate implements FlowController.Candidate {
    private final String name;
    private final long cost;

    TestCandidate(String name, long cost) {
      this.name = name;
      this.cost = cost;
    }

    @Override
    public long costBytes() {
      return cost;
    }

    @Override
    public void admitted() {
      admitted.add(name);
    }
  }

  @Test
  void turnsAreGivenInOrderWithinBothBounds() {
    FlowController admission = new FlowController(2, 100, 10, 1000);
    TestCandidate a = new TestCandidate("a", 60);
    TestCandidate b = new TestCandidate("b", 60);
    TestCandidate c = new TestCandidate("c", 10);
    for (TestCandidate candidate : List.of(a, b, c)) {
      assertThat(admission.tryEnter(candidate.costBytes())).isTrue();
    }
    assertThat(admission.admit(a)).isTrue();
    assertThat(admission.admit(b)).as("over the bytes").isFalse();
    assertThat(admission.admit(c)).as("behind b").isFalse();
    admission.release(a);
    assertThat(admitted).containsExactly("b", "c");
    assertThat(admission.calls()).isEqualTo(2);
  }

  @Test
  void whoLeavesTheQueueMakesRoomForTheNext() {
    FlowController admission = new FlowController(2, 100, 10, 1000);
    TestCandidate a = new TestCandidate("a", 60);
    TestCandidate b = new TestCandidate("b", 60);
    TestCandidate c = new TestCandidate("c", 10);
    for (TestCandidate candidate : List.of(a, b, c)) {
      admission.tryEnter(candidate.costBytes());
      admission.admit(candidate);
    }
    admission.release(b);
    assertThat(admitted).containsExactly("c");
    assertThat(admission.waitingCalls()).isZero();
  }

  @Test
  void whoFindsNoPlaceIsRefusedAndLeavesNothingBehind() {
    FlowController admission = new FlowController(1, 100, 1, 100);
    assertThat(admission.tryEnter(50)).isTrue();
    assertThat(admission.tryEnter(151)).as("over the bytes").isFalse();
    assertThat(admission.tryEnter(50)).isTrue();
    assertThat(admission.tryEnter(1)).as("over the count").isFalse();
    admission.exit(50);
    assertThat(admission.tryEnter(100)).isTrue();
  }
}
