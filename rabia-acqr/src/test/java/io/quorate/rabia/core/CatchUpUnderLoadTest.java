package io.quorate.rabia.core;

import static io.quorate.rabia.core.VirtualGroup.MILLI;
import static io.quorate.rabia.core.VirtualGroup.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.rabia.core.Settings.Bounds;
import io.quorate.rabia.core.Settings.Policy;
import io.quorate.rabia.core.Settings.Timing;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A replica that was disconnected catches up with the others while they execute slots (T3). */
@ParameterizedClass
@EnumSource(Policy.class)
class CatchUpUnderLoadTest {
  /** Too few slots to catch up from memory alone. */
  private static final int TAIL_SLOTS = 64;

  /** The maximum lag, in slots, of a replica that has caught up. */
  private static final int LAG_MAX = 64;

  @Parameter Policy policy;

  private VirtualGroup group;

  @BeforeEach
  void offer() {
    group =
        new VirtualGroup(
            3,
            new Settings(
                policy,
                1024,
                Timing.DEFAULT,
                Bounds.DEFAULT.toBuilder().tailSlots(TAIL_SLOTS).build()));
    group.offer(30 * SECOND, 4 * MILLI, 0, 1);
    group.node(2).disconnect();
    group.run(8 * SECOND);
  }

  private void assertCatchesUp() {
    group.run(6 * SECOND);
    assertThat(group.node(2).executed())
        .isGreaterThanOrEqualTo(group.node(0).executed() - LAG_MAX)
        .isGreaterThan(2_000);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void fromTheLogOfTheOthers(int alsoTruncated) {
    // The peer without log entries is skipped.
    group.node(alsoTruncated).truncateLog();

    group.node(2).reconnect();
    assertCatchesUp();

    assertThat(group.snapshotsInstalled()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 1_000, 3_000})
  void fromASnapshotAndTheLogSinceItWasTaken(int transferMillis) {
    group.node(0).truncateLog();
    group.node(1).truncateLog();
    group.setSnapshotTransfer(transferMillis * MILLI);

    group.node(2).reconnect();
    assertCatchesUp();

    assertThat(group.snapshotsInstalled()).isEqualTo(1);
  }
}
