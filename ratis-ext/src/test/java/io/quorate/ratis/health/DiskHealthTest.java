package io.quorate.ratis.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.BodyStorage;
import io.quorate.ratis.health.DiskHealth.Progress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.apache.ratis.protocol.RaftGroupId;
import org.junit.jupiter.api.Test;

/** The health of a node with two replicas. */
class DiskHealthTest {
  private static final Duration TICK = Duration.ofMillis(50);
  private static final int STALL_TIMEOUT_TICKS = 20;

  private final DiskHealth health = new DiskHealth(TICK.multipliedBy(STALL_TIMEOUT_TICKS), TICK);
  private final RaftGroupId one = RaftGroupId.randomId();
  private final RaftGroupId other = RaftGroupId.randomId();
  private final Map<RaftGroupId, Progress> progress = new HashMap<>();
  private Optional<BodyStorage.Progress> bodies = Optional.empty();
  private long nowNanos;

  @Test
  void aNodeThatHasJustStartedIsHealthy() {
    assertThat(health.isLogResponsive()).isTrue();
    assertThat(health.mayLead(one)).isTrue();
    assertThat(health.isSlow(one)).isFalse();
    assertThat(health.isStalled(one)).isFalse();
  }

  /** The logs of all groups are on one disk. */
  @Test
  void aStalledLogCountsForAllGroups() {
    progress.put(one, new Progress(10, 9, 8, 8, 8));
    progress.put(other, new Progress(5, 5, 5, 5, 5));
    ticks(STALL_TIMEOUT_TICKS / 2);
    assertThat(health.isSlow(other)).isTrue();
    assertThat(health.isStalled(other)).isFalse();
    ticks(STALL_TIMEOUT_TICKS);
    assertThat(health.isStalled(one)).isTrue();
    assertThat(health.isStalled(other)).isTrue();
    assertThat(health.mayLead(other)).isFalse();
    assertThat(health.isLogResponsive()).isFalse();
  }

  /** The state machine may wait for something other than a disk. */
  @Test
  void aStalledStateMachineCountsOnlyForItsGroup() {
    progress.put(one, new Progress(10, 10, 10, 10, 9));
    progress.put(other, new Progress(5, 5, 5, 5, 5));
    ticks(STALL_TIMEOUT_TICKS + 1);
    assertThat(health.isStalled(one)).isTrue();
    assertThat(health.mayLead(one)).isFalse();
    assertThat(health.isStalled(other)).isFalse();
    assertThat(health.mayLead(other)).isTrue();
    assertThat(health.isLogResponsive()).isTrue();
  }

  /** Its entries may have to be read from the log first. */
  @Test
  void aStateMachineThatReceivesNothingCountsAsAStalledOne() {
    progress.put(one, new Progress(10, 10, 10, 9, 9));
    progress.put(other, new Progress(5, 5, 5, 5, 5));
    ticks(STALL_TIMEOUT_TICKS + 1);
    assertThat(health.isSlow(one)).isTrue();
    assertThat(health.isStalled(one)).isTrue();
    assertThat(health.mayLead(one)).isFalse();
    assertThat(health.mayLead(other)).isTrue();
  }

  /** They may be on another disk than the logs, which can be written. */
  @Test
  void stalledBodiesCountForAllGroups() {
    progress.put(one, new Progress(5, 5, 5, 5, 5));
    bodies = Optional.of(new BodyStorage.Progress(7, 7));
    ticks(2 * STALL_TIMEOUT_TICKS);
    assertThat(health.mayLead(one)).isTrue();
    bodies = Optional.of(new BodyStorage.Progress(8, 7));
    ticks(STALL_TIMEOUT_TICKS / 2);
    assertThat(health.isSlow(one)).isTrue();
    ticks(STALL_TIMEOUT_TICKS);
    assertThat(health.isStalled(one)).isTrue();
    assertThat(health.mayLead(one)).isFalse();
    assertThat(health.isLogResponsive()).isTrue();
  }

  @Test
  void itMayLeadAgainAStallTimeoutAfterAStall() {
    progress.put(one, new Progress(10, 9, 8, 8, 8));
    ticks(STALL_TIMEOUT_TICKS + 1);
    progress.put(one, new Progress(10, 10, 8, 8, 8));
    ticks(1);
    assertThat(health.isLogResponsive()).isTrue();
    assertThat(health.mayLead(one)).isFalse();
    ticks(STALL_TIMEOUT_TICKS);
    assertThat(health.mayLead(one)).isTrue();
  }

  @Test
  void aClosedReplicaDoesNotCount() {
    progress.put(one, new Progress(10, 9, 8, 8, 8));
    ticks(STALL_TIMEOUT_TICKS + 1);
    progress.remove(one);
    progress.put(other, Progress.NONE);
    ticks(1);
    assertThat(health.isLogResponsive()).isTrue();
    assertThat(health.mayLead(other)).isTrue();
  }

  /** It is watched only while work waits in it. */
  @Test
  void aReplicaThatWasAtRestIsStalledLikeAnyOther() {
    progress.put(one, new Progress(5, 5, 4, 4, 4));
    ticks(2 * STALL_TIMEOUT_TICKS);
    assertThat(health.mayLead(one)).isTrue();
    progress.put(one, new Progress(6, 5, 4, 4, 4));
    ticks(STALL_TIMEOUT_TICKS + 1);
    assertThat(health.isStalled(one)).isTrue();
    progress.put(one, new Progress(6, 6, 6, 6, 6));
    ticks(2);
    assertThat(health.isStalled(one)).isFalse();
    assertThat(health.mayLead(one)).isFalse();
  }

  private void ticks(int count) {
    for (int i = 0; i < count; i++) {
      nowNanos += TICK.toNanos();
      health.tick(nowNanos, progress, Function.identity(), bodies);
    }
  }
}
