package io.quorate.rabia.core;

import static io.quorate.rabia.core.VirtualGroup.MICRO;
import static io.quorate.rabia.core.VirtualGroup.MILLI;
import static io.quorate.rabia.core.VirtualGroup.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.rabia.core.Settings.Bounds;
import io.quorate.rabia.core.Settings.Policy;
import io.quorate.rabia.core.Settings.Timing;
import io.quorate.rabia.protocol.Message;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

class PublishedChooserTest {
  private final VirtualGroup group =
      new VirtualGroup(3, new Settings(Policy.PUBLISHED, 1024, Timing.DEFAULT, Bounds.DEFAULT));

  /** Each replica logs the bodies of all batches that it executes, so that a replay completes. */
  @RepeatedTest(5)
  void aRestartExecutesTheSlotsThatWereExecutedBefore(RepetitionInfo repetition) {
    long seed = repetition.getCurrentRepetition();
    Random random = new Random(seed);
    group.setLink((from, to, message) -> random.nextInt(300) * MICRO);
    group.offer(6 * SECOND, 3 * MILLI, 0, 1, 2);
    group.run(8 * SECOND);

    for (int i = 0; i < 3; i++) {
      long before = group.node(i).executed();
      assertThat(before).as("seed %d: more slots than the window holds", seed).isGreaterThan(1024);
      group.node(i).crash();
      assertThat(group.node(i).replayed()).as("seed %d, node %d", seed, i).isEqualTo(before);
    }
  }

  @Test
  void aBatchThatOneSurvivorHasDoesNotPreventDecisions() {
    group.offer(6 * SECOND, 2 * MILLI, 0, 1);
    group.run(100 * MILLI);
    group.setLink(
        (from, to, message) -> message instanceof Message.Request && from == 2 && to == 1 ? -1 : 0);
    group.node(2).hangDisk();
    group.node(2).propose();
    group.run(MILLI);
    group.node(2).crash();

    List<Integer> each = group.batchesEachSecond(0, 4);

    assertThat(each).allMatch(batches -> batches >= 900);
    assertThat(group.node(1).executed()).isGreaterThan(3_000);
  }

  /**
   * A replica does not propose a batch again that arrived after the decision for it: while two
   * replicas do that, and the third one proposes another batch, every slot is decided null.
   */
  @Test
  void aBatchThatArrivesAfterItsDecisionIsNotProposedAgain() {
    group.setLink(
        (from, to, message) ->
            message instanceof Message.Request && to == (from + 2) % 3 ? 3 * MILLI : 0);
    for (int i = 0; i < 3; i++) {
      group.offer(SECOND, 12 * MILLI, i);
      group.run(4 * MILLI);
    }
    group.run(2 * SECOND);

    assertThat(group.node(0).executedBatches()).isEqualTo(3 * 84);
    assertThat(group.node(0).replica().counters().duplicates()).isZero();
  }
}
