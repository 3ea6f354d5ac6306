package io.quorate.rabia.core;

import static io.quorate.rabia.core.VirtualGroup.MILLI;
import static io.quorate.rabia.core.VirtualGroup.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.rabia.core.Settings.Bounds;
import io.quorate.rabia.core.Settings.Policy;
import io.quorate.rabia.core.Settings.Timing;
import org.junit.jupiter.api.Test;

/** A group that executes nothing sends nothing until one of its members has to catch up. */
class QuietGroupTest {
  private final VirtualGroup group =
      new VirtualGroup(3, new Settings(Policy.OWNED, 1024, Timing.DEFAULT, Bounds.DEFAULT));

  @Test
  void sendsNothingOnceAllMembersHaveCaughtUp() {
    group.offer(SECOND, 10 * MILLI, 0, 1);
    group.run(3 * SECOND);
    group.resetSent();

    group.run(60 * SECOND);

    assertThat(group.sent()).isEmpty();
  }

  @Test
  void sendsLittleWhileAMemberIsDown() {
    group.node(2).crash();
    group.offer(SECOND, 10 * MILLI, 0, 1);
    group.run(10 * SECOND);
    group.resetSent();

    group.run(16 * SECOND);

    // Two replicas each send to two receivers every 1.6 s.
    assertThat(group.sent().values().stream().mapToInt(Integer::intValue).sum())
        .isLessThanOrEqualTo(44);
  }

  @Test
  void aMemberThatMissedTheLastSlotsCatchesUp() {
    group.offer(SECOND, 10 * MILLI, 0, 1);
    group.run(3 * SECOND);
    group.setLink((from, to, message) -> to == 2 ? -1 : 0);
    group.node(0).propose();
    group.run(SECOND);
    assertThat(group.node(2).executed()).isLessThan(group.node(0).executed());

    group.setLink((from, to, message) -> 0);
    group.run(2 * SECOND);

    assertThat(group.node(2).executed()).isEqualTo(group.node(0).executed());
    group.resetSent();
    group.run(60 * SECOND);
    assertThat(group.sent()).isEmpty();
  }

  /** It is no member, so no member sends it a report of its own. */
  @Test
  void aReplicaThatIsToBecomeAMemberLearnsOfTheNextSlot() {
    group.setSnapshotTransfer(10 * MILLI);
    group.offer(SECOND, 10 * MILLI, 0, 1);
    group.run(3 * SECOND);
    VirtualGroup.Node learner = group.startLearner();
    group.run(10 * SECOND);
    assertThat(learner.executed()).isEqualTo(group.node(0).executed());

    group.node(0).propose();
    group.run(3 * SECOND);

    assertThat(learner.executed()).isEqualTo(group.node(0).executed());
  }

  @Test
  void becomesQuietEvenIfMessagesAreLost() {
    group.offer(SECOND, 10 * MILLI, 0, 1);
    int[] count = {0};
    group.setLink((from, to, message) -> ++count[0] % 3 == 0 ? -1 : 0);
    group.run(10 * SECOND);
    group.setLink((from, to, message) -> 0);
    group.run(20 * SECOND);
    group.resetSent();

    group.run(60 * SECOND);

    assertThat(group.sent()).isEmpty();
  }
}
