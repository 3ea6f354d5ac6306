package io.quorate.consensus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class StartsTest {
  @Test
  void aDiskFollowsItsOwnStarts() {
    Starts first = Starts.NONE.next(11);
    Starts third = first.next(22).next(33);
    assertThat(third).isEqualTo(new Starts(3, List.of(run(33), run(22), run(11))));
    assertThat(third.newest()).contains(new Starts.Start(3, 33, 0));
    assertThat(third.mayFollow(first.newest().orElseThrow())).isTrue();
    assertThat(third.mayFollow(third.newest().orElseThrow())).isTrue();
    assertThat(first.mayFollow(third.newest().orElseThrow())).isFalse();
  }

  /** It may have started as often as the disk, or more often. */
  @Test
  void anOlderCopyNeverFollowsAStartThatItLacks() {
    Starts copied = Starts.NONE.next(1).next(2);
    Starts.Start lacking = copied.next(3).newest().orElseThrow();
    Starts copy = copied;
    for (long id = 100; id < 100 + Starts.KEPT_MAX; id++) {
      assertThat(copy.mayFollow(lacking)).as("%s starts", copy.number()).isFalse();
      copy = copy.next(id);
    }
  }

  @Test
  void aStartLongAgoIsNotHeldAgainstTheDisk() {
    Starts starts = Starts.NONE;
    for (long id = 1; id <= 3 * Starts.KEPT_MAX; id++) {
      starts = starts.next(id);
    }
    assertThat(starts.runs()).hasSize(Starts.KEPT_MAX);
    assertThat(starts.mayFollow(new Starts.Start(1, 1, 0))).isTrue();
    assertThat(Starts.NONE.mayFollow(new Starts.Start(1, 1, 0))).as("not recorded").isTrue();
  }

  /** However often it has started, and renewed its starts, since. */
  @Test
  void aCopyOfARunningNodeNeverFollowsALaterRenewal() {
    Starts copied = Starts.NONE.next(1).next(2).renewed();
    Starts running = copied.renewed();
    Starts.Start lacking = running.newest().orElseThrow();
    Starts copy = copied;
    for (long id = 100; id < 100 + Starts.KEPT_MAX - 1; id++) {
      copy = copy.next(id);
      for (int renewal = 0; renewal < 100; renewal++) {
        assertThat(copy.mayFollow(lacking)).isFalse();
        copy = copy.renewed();
      }
    }
    assertThat(running.next(3).mayFollow(lacking)).isTrue();
    assertThat(running.renewed().mayFollow(lacking)).isTrue();
    assertThat(copied.mayFollow(lacking)).as("sent before the renewal").isTrue();
  }

  @Test
  void ofTwoStartsTheLaterOneIsThatOfTheGreaterNumberOrOfMoreRenewals() {
    Starts start = Starts.NONE.next(1).renewed();
    Starts.Start recorded = start.newest().orElseThrow();
    assertThat(start.isAfter(recorded)).isFalse();
    assertThat(start.renewed().isAfter(recorded)).isTrue();
    assertThat(start.next(2).isAfter(recorded)).isTrue();
    assertThat(Starts.NONE.next(1).isAfter(recorded)).isFalse();
    assertThat(Starts.NONE.renewed()).isEqualTo(Starts.NONE);
  }

  @Test
  void theRunsAreThoseOfTheNumber() {
    assertThatThrownBy(() -> new Starts(2, List.of(run(1))))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static Starts.Run run(long id) {
    return new Starts.Run(id, 0);
  }
}
