package io.quorate.rabia.core;

import static io.quorate.rabia.core.VirtualGroup.MILLI;
import static io.quorate.rabia.core.VirtualGroup.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.rabia.core.Settings.Bounds;
import io.quorate.rabia.core.Settings.Policy;
import io.quorate.rabia.core.Settings.Timing;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A replica that is alive but does not resolve its slots costs the others no more than a crashed
 * replica (O5): after one second they execute at least nine tenths of the offered batches.
 */
class MuteReplicaTest {
  private static final int OFFERED_EACH_SECOND = 1_000;
  private static final int SECONDS = 8;

  /** So few slots that a replica needs a snapshot after two seconds without a connection. */
  private static final int TAIL_SLOTS = 64;

  private final VirtualGroup group =
      new VirtualGroup(
          3,
          new Settings(
              Policy.OWNED,
              1024,
              Timing.DEFAULT,
              Bounds.DEFAULT.toBuilder().tailSlots(TAIL_SLOTS).build()));

  private void offer() {
    group.offer((2 * SECONDS + 5) * SECOND, 2 * MILLI, 0, 1);
    assertThat(group.batchesEachSecond(0, 1)).containsExactly(OFFERED_EACH_SECOND);
  }

  private void assertOthersContinue() {
    List<Integer> each = group.batchesEachSecond(0, SECONDS);
    assertThat(each.subList(1, SECONDS))
        .as("batches in each second: %s", each)
        .allMatch(batches -> batches >= OFFERED_EACH_SECOND * 9 / 10);
  }

  @Test
  void aCrashedReplica() {
    offer();
    group.node(2).crash();
    assertOthersContinue();
  }

  @Test
  void aReplicaThatWaitsForASnapshot() {
    offer();
    group.node(2).disconnect();
    group.run(2 * SECOND);
    group.node(2).reconnect();
    assertOthersContinue();
    assertThat(group.snapshotsInstalled()).isZero();
  }

  @Test
  void aReplicaWhoseStateMachineHangs() {
    offer();
    group.node(2).hangStateMachine();
    assertOthersContinue();
  }

  @Test
  void aReplicaWhoseFsyncHangs() {
    offer();
    group.node(2).hangDisk();
    assertOthersContinue();
  }

  @Test
  void aReplicaThatReceivesNothingAndSends() {
    offer();
    group.setLink((from, to, message) -> to == 2 ? -1 : 0);
    group.offer(SECONDS * SECOND, 2 * MILLI, 2);
    assertOthersContinue();
  }

  @Test
  void aReplicaThatIsMuteRepeatedly() {
    offer();
    for (int i = 0; i < SECONDS; i++) {
      group.node(2).hangStateMachine();
      group.run(SECOND / 2);
      group.node(2).releaseStateMachine();
      List<Integer> batches = group.batchesEachSecond(0, 1);
      assertThat(batches.get(0))
          .as("batches in second %d", i)
          .isGreaterThanOrEqualTo(i == 0 ? 0 : OFFERED_EACH_SECOND * 9 / 10);
    }
  }
}
