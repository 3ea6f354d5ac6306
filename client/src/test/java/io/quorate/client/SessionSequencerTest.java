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
  private final SessionSequencer writes = new SessionSequencer(client);

  @Test
  void numbersStartAtOneAndTheFloorIsTheLowestOutstanding() {
    long first = begin(REGION);
    long second = begin(REGION);
    long third = begin(REGION);
    assertThat(first).isEqualTo(1);
    assertThat(writes.tag(third, REGION)).isEqualTo(new RequestId(client, 3, 1));
    writes.end(second);
    assertThat(writes.tag(third, REGION).floor()).isEqualTo(1);
    writes.end(first);
    assertThat(writes.tag(third, REGION).floor()).isEqualTo(3);
  }

  @Test
  void aNumberIsNeverUsedTwice() {
    long first = begin(REGION);
    writes.end(first);
    assertThat(begin(OTHER)).isEqualTo(first + 1);
  }

  @Test
  void aStuckWriteHoldsNoOtherRegionsFloorDown() {
    begin(REGION);
    long elsewhere = begin(OTHER);
    assertThat(writes.tag(elsewhere, OTHER).floor()).isEqualTo(elsewhere);
  }

  @Test
  void noMoreThanTheWindowIsSentPastAStuckWriteUntilItEnds() {
    long stuck = begin(REGION);
    for (int i = 1; i < RequestId.WINDOW; i++) {
      writes.end(begin(REGION));
    }
    assertThat(writes.begin(REGION)).isEmpty();
    assertThat(writes.begin(OTHER)).isPresent();

    List<Long> begun = new ArrayList<>();
    writes.awaitCapacity(REGION, () -> begun.add(begin(REGION)));
    Runnable givenUp = () -> begun.add(-1L);
    writes.awaitCapacity(REGION, givenUp);
    writes.stopWaiting(givenUp);
    assertThat(begun).isEmpty();
    writes.end(stuck);
    assertThat(begun).hasSize(1);
    assertThat(writes.tag(begun.get(0), REGION).floor()).isEqualTo(begun.get(0));
  }

  @Test
  void aWriteThatMovesToAnotherRegionCountsThere() {
    long moved = begin(REGION);
    long stays = begin(REGION);
    long other = begin(OTHER);
    assertThat(writes.tag(moved, OTHER)).isEqualTo(new RequestId(client, moved, moved));
    assertThat(writes.tag(stays, REGION).floor()).isEqualTo(stays);
    writes.end(other);
    assertThat(writes.tag(moved, OTHER).floor()).isEqualTo(moved);
    writes.end(moved);
    long next = begin(OTHER);
    assertThat(writes.tag(next, OTHER).floor()).isEqualTo(next);
  }

  private long begin(GroupId region) {
    return writes.begin(region).orElseThrow();
  }
}
