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
    assertThat(third).isEqualTo(new Starts(3, List.of(33L, 22L, 11L)));
    assertThat(third.newest()).contains(new Starts.Start(3, 33));
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
    for (long id = 100; id < 100 + Starts.IDS_MAX; id++) {
      assertThat(copy.mayFollow(lacking)).as("%s starts", copy.number()).isFalse();
      copy = copy.next(id);
    }
  }

  @Test
  void aStartLongAgoIsNotHeldAgainstTheDisk() {
    Starts starts = Starts.NONE;
    for (long id = 1; id <= 3 * Starts.IDS_MAX; id++) {
      starts = starts.next(id);
    }
    assertThat(starts.ids()).hasSize(Starts.IDS_MAX);
    assertThat(starts.mayFollow(new Starts.Start(1, 1))).isTrue();
    assertThat(Starts.NONE.mayFollow(new Starts.Start(1, 1))).as("not recorded").isTrue();
  }

  @Test
  void theIdsAreThoseOfTheNumber() {
    assertThatThrownBy(() -> new Starts(2, List.of(1L)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
