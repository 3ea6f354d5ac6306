package io.quorate.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.GroupId;
import io.quorate.operation.ClientId;
import io.quorate.operation.RequestId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SessionSequencerTest {
  private static final GroupId REGION = new GroupId(1);
  private static final GroupId OTHER = new GroupId(2);

  private final ClientId client = ClientId.random();
  private final SessionSequencer sequencer = new SessionSequencer(client);

  @Test
  void numbersStartAtOneAndTheFloorIsTheLowestOutstanding() {
    long first = begin(REGION);
    long second = begin(REGION);
    long third = begin(REGION);
    assertThat(first).isEqualTo(1);
    assertThat(sequencer.tag(third, REGION)).isEqualTo(new RequestId(client, 3, 1));
    sequencer.end(second);
    assertThat(sequencer.tag(third, REGION).floor()).isEqualTo(1);
    sequencer.end(first);
    assertThat(sequencer.tag(third, REGION).floor()).isEqualTo(3);
  }

  @Test
  void aNumberIsNeverUsedTwice() {
    long first = begin(REGION);
    sequencer.end(first);
    assertThat(begin(OTHER)).isEqualTo(first + 1);
  }

  @Test
  void aStuckWriteDoesNotHoldDownTheFloorOfAnotherRegion() {
    begin(REGION);
    long other = begin(OTHER);
    assertThat(sequencer.tag(other, OTHER).floor()).isEqualTo(other);
  }

  @Test
  void atMostAWindowOfWritesBeginsWhileOneIsStuck() {
    long stuck = begin(REGION);
    for (int i = 1; i < RequestId.WINDOW; i++) {
      sequencer.end(begin(REGION));
    }
    assertThat(sequencer.begin(REGION)).isEmpty();
    assertThat(sequencer.begin(OTHER)).isPresent();

    List<Long> begun = new ArrayList<>();
    sequencer.awaitCapacity(REGION, () -> begun.add(begin(REGION)));
    Runnable cancelled = () -> begun.add(-1L);
    sequencer.awaitCapacity(REGION, cancelled);
    sequencer.stopWaiting(cancelled);
    assertThat(begun).isEmpty();
    sequencer.end(stuck);
    assertThat(begun).hasSize(1);
    assertThat(sequencer.tag(begun.get(0), REGION).floor()).isEqualTo(begun.get(0));
  }

  @Test
  void aWriteThatMovesToAnotherRegionCountsThere() {
    long moved = begin(REGION);
    long remaining = begin(REGION);
    long other = begin(OTHER);
    assertThat(sequencer.tag(moved, OTHER)).isEqualTo(new RequestId(client, moved, moved));
    assertThat(sequencer.tag(remaining, REGION).floor()).isEqualTo(remaining);
    sequencer.end(other);
    assertThat(sequencer.tag(moved, OTHER).floor()).isEqualTo(moved);
    sequencer.end(moved);
    long next = begin(OTHER);
    assertThat(sequencer.tag(next, OTHER).floor()).isEqualTo(next);
  }

  private long begin(GroupId region) {
    return sequencer.begin(region).orElseThrow();
  }
}
