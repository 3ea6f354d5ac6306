package io.quorate.ratis.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.model.Position;
import org.junit.jupiter.api.Test;

class CommitNotifierTest {
  private final CommitNotifier notifier = new CommitNotifier();
  private long now = Long.MAX_VALUE - 10;

  @Test
  void withoutReadersNothingIsSent() {
    assertThat(notifier.isAwaited(at(5), now)).isFalse();
    now += CommitNotifier.STALL_NANOS;
    assertThat(notifier.isStalled(at(5), now)).isFalse();
    assertThat(notifier.mustAnnounce(at(5), () -> 5, now)).isFalse();
  }

  @Test
  void aReplicaThatStallsBehindAReportedPendingWriteQueriesTheLeader() {
    assertThat(notifier.isAwaited(at(5), now)).isFalse();
    assertThat(notifier.pendingReported(at(7), now)).isTrue();
    assertThat(notifier.pendingReported(at(6), now)).isFalse();
    assertThat(notifier.isAwaited(at(5), now)).isTrue();
    assertThat(notifier.isStalled(at(5), now)).isFalse();
    now += CommitNotifier.STALL_NANOS;
    assertThat(notifier.isStalled(at(5), now)).isTrue();
    assertThat(notifier.isStalled(at(6), now)).as("the applied position has advanced").isFalse();
    assertThat(notifier.isAwaited(at(7), now)).isFalse();
  }

  @Test
  void readersCountOnlyIfTheyAreRecent() {
    notifier.isAwaited(at(5), now);
    notifier.pendingReported(at(7), now);
    now += CommitNotifier.RECENT_NANOS + 1;
    assertThat(notifier.isStalled(at(5), now)).isFalse();
  }

  @Test
  void aLeaderAnnouncesACommitIndexThatNoEntryWillCarry() {
    notifier.requestReceived(now);
    assertThat(notifier.mustAnnounce(at(5), () -> 5, now)).isTrue();
    assertThat(notifier.mustAnnounce(at(5), () -> 6, now)).as("entry 6 will carry it").isFalse();
    now += CommitNotifier.RECENT_NANOS + 1;
    assertThat(notifier.mustAnnounce(at(5), () -> 5, now)).isFalse();
  }

  private static Position at(long index) {
    return new Position(1, index);
  }
}
