package io.quorate.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AdmissionTest {
  private final List<String> admitted = new ArrayList<>();

  private final class Someone implements Admission.Applicant {
    private final String name;
    private final long cost;

    Someone(String name, long cost) {
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
    Admission admission = new Admission(2, 100, 10, 1000);
    Someone a = new Someone("a", 60);
    Someone b = new Someone("b", 60);
    Someone c = new Someone("c", 10);
    for (Someone someone : List.of(a, b, c)) {
      assertThat(admission.tryEnter(someone.costBytes())).isTrue();
    }
    assertThat(admission.apply(a)).isTrue();
    assertThat(admission.apply(b)).as("over the bytes").isFalse();
    assertThat(admission.apply(c)).as("behind b").isFalse();
    admission.leave(a);
    assertThat(admitted).containsExactly("b", "c");
    assertThat(admission.calls()).isEqualTo(2);
  }

  @Test
  void whoLeavesTheQueueMakesRoomForTheNext() {
    Admission admission = new Admission(2, 100, 10, 1000);
    Someone a = new Someone("a", 60);
    Someone b = new Someone("b", 60);
    Someone c = new Someone("c", 10);
    for (Someone someone : List.of(a, b, c)) {
      admission.tryEnter(someone.costBytes());
      admission.apply(someone);
    }
    admission.leave(b);
    assertThat(admitted).containsExactly("c");
    assertThat(admission.waitingCalls()).isZero();
  }

  @Test
  void whoFindsNoPlaceIsRefusedAndLeavesNothingBehind() {
    Admission admission = new Admission(1, 100, 1, 100);
    assertThat(admission.tryEnter(50)).isTrue();
    assertThat(admission.tryEnter(151)).as("over the bytes").isFalse();
    assertThat(admission.tryEnter(50)).isTrue();
    assertThat(admission.tryEnter(1)).as("over the count").isFalse();
    admission.exit(50);
    assertThat(admission.tryEnter(100)).isTrue();
  }
}
