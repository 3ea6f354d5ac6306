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
  void callsAreAdmittedInOrderWithinBothBounds() {
    FlowController controller = new FlowController(2, 100, 10, 1000);
    TestCandidate a = new TestCandidate("a", 60);
    TestCandidate b = new TestCandidate("b", 60);
    TestCandidate c = new TestCandidate("c", 10);
    for (TestCandidate candidate : List.of(a, b, c)) {
      assertThat(controller.tryEnter(candidate.costBytes())).isTrue();
    }
    assertThat(controller.admit(a)).isTrue();
    assertThat(controller.admit(b)).as("beyond the bound on bytes").isFalse();
    assertThat(controller.admit(c)).as("queued after b").isFalse();
    controller.release(a);
    assertThat(admitted).containsExactly("b", "c");
    assertThat(controller.calls()).isEqualTo(2);
  }

  @Test
  void releasingAWaitingCallAdmitsTheNext() {
    FlowController controller = new FlowController(2, 100, 10, 1000);
    TestCandidate a = new TestCandidate("a", 60);
    TestCandidate b = new TestCandidate("b", 60);
    TestCandidate c = new TestCandidate("c", 10);
    for (TestCandidate candidate : List.of(a, b, c)) {
      controller.tryEnter(candidate.costBytes());
      controller.admit(candidate);
    }
    controller.release(b);
    assertThat(admitted).containsExactly("c");
    assertThat(controller.waitingCalls()).isZero();
  }

  @Test
  void aRejectedCallReservesNothing() {
    FlowController controller = new FlowController(1, 100, 1, 100);
    assertThat(controller.tryEnter(50)).isTrue();
    assertThat(controller.tryEnter(151)).as("beyond the bound on bytes").isFalse();
    assertThat(controller.tryEnter(50)).isTrue();
    assertThat(controller.tryEnter(1)).as("beyond the bound on calls").isFalse();
    controller.exit(50);
    assertThat(controller.tryEnter(100)).isTrue();
  }
}
