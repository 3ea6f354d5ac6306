package io.quorate.rabia.core;

import static io.quorate.rabia.core.VirtualGroup.FSYNC;
import static io.quorate.rabia.core.VirtualGroup.MESSAGE_DELAY;
import static io.quorate.rabia.core.VirtualGroup.MICRO;
import static io.quorate.rabia.core.VirtualGroup.MILLI;
import static io.quorate.rabia.core.VirtualGroup.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.rabia.core.Settings.Bounds;
import io.quorate.rabia.core.Settings.Policy;
import io.quorate.rabia.core.Settings.Timing;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One slow disk does not slow down a group (O3, O6). */
class SlowDiskTest {
  private static final int OFFERED_EACH_SECOND = 1_000;

  /** A slot without one replica takes four delays and three fsyncs, plus some queueing. */
  private static final long WITHOUT_ONE = 4 * MESSAGE_DELAY + 3 * FSYNC + 600 * MICRO;

  private final VirtualGroup group =
      new VirtualGroup(3, new Settings(Policy.OWNED, 1024, Timing.DEFAULT, Bounds.DEFAULT));

  @ParameterizedTest
  @ValueSource(ints = {10, 40, 300})
  void writesThroughTheOthersTakeNoLongerThanWithoutTheSlowOne(int fsyncMillis) {
    group.offer(20 * SECOND, 2 * MILLI, 0, 1);
    group.run(SECOND);
    group.node(2).setFsync(fsyncMillis * MILLI);
    group.run(4 * SECOND);
    group.node(0).resetLatencies();

    assertThat(group.batchesEachSecond(0, 3))
        .allMatch(batches -> batches >= OFFERED_EACH_SECOND * 9 / 10);
    assertThat(group.node(0).medianLatency()).isLessThan(WITHOUT_ONE);
  }

  /** The slow replica sends its content at once, and the others decide without its log. */
  @Test
  void writesThroughTheSlowOneAreDecidedByTheOthers() {
    group.offer(20 * SECOND, 2 * MILLI, 0, 1, 2);
    group.run(SECOND);
    group.node(2).setFsync(300 * MILLI);
    group.run(4 * SECOND);
    group.node(2).resetLatencies();

    group.run(2 * SECOND);

    assertThat(group.node(2).medianLatency()).isLessThan(WITHOUT_ONE + 2 * MESSAGE_DELAY);
  }

  /** A message that is repeated waits for its record only once. */
  @Test
  void messagesThatWaitForAHungDiskDoNotAccumulate() {
    group.offer(20 * SECOND, 10 * MILLI, 0, 1);
    group.run(SECOND);
    group.node(2).hangDisk();
    group.node(0).disconnect();
    group.run(SECOND);
    int held = group.node(2).held();

    group.run(8 * SECOND);

    assertThat(group.node(2).held()).isLessThanOrEqualTo(2 * held);
  }
}
