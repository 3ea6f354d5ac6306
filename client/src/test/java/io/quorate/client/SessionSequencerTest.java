package io.quorate.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.GroupId;
import io.quorate.consensus.Key;
import io.quorate.consensus.KeyRange;
import io.quorate.consensus.NodeId;
import io.quorate.operation.ClientId;
import io.quorate.operation.RequestId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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

  /** Regions with consecutive ids, divided at these keys. */
  private static List<RegionDescriptor> topology(GroupId first, String... bounds) {
    List<RegionDescriptor> regions = new ArrayList<>();
    Key start = Key.EMPTY;
    for (int i = 0; i <= bounds.length; i++) {
      Optional<Key> end = i < bounds.length ? Optional.of(Key.utf8(bounds[i])) : Optional.empty();
      regions.add(
          new RegionDescriptor(
              new GroupId(first.value() + i),
              RegionEpoch.FIRST,
              new KeyRange(start, end),
              List.of(new NodeId("n1")),
              Optional.empty()));
      start = end.orElse(start);
    }
    return regions;
  }

  @Test
  void theFloorOfANewRegionIsThatOfTheRegionThatWasSplit() {
    long moved = begin(REGION);
    long remaining = begin(REGION);
    sequencer.regionsChanged(topology(REGION), topology(REGION, "m"));
    long later = begin(OTHER);
    assertThat(sequencer.tag(later, OTHER).floor()).isEqualTo(moved);
    assertThat(sequencer.tag(moved, OTHER)).isEqualTo(new RequestId(client, moved, moved));
    assertThat(sequencer.tag(remaining, REGION).floor()).as("it left").isEqualTo(remaining);
    sequencer.end(moved);
    assertThat(sequencer.tag(later, OTHER).floor()).as("may have moved").isEqualTo(remaining);
    sequencer.end(remaining);
    assertThat(sequencer.tag(later, OTHER).floor()).isEqualTo(later);
  }

  /** The client has not sent the write to the first of the two new regions meanwhile. */
  @Test
  void theFloorHoldsAcrossSeveralSplits() {
    GroupId third = new GroupId(3);
    long moved = begin(REGION);
    sequencer.regionsChanged(topology(REGION), topology(REGION, "m"));
    sequencer.regionsChanged(topology(REGION, "m"), topology(REGION, "m", "t"));
    long later = begin(third);
    assertThat(sequencer.tag(later, third).floor()).isEqualTo(moved);
    assertThat(sequencer.tag(moved, third).floor()).isEqualTo(moved);
    sequencer.end(moved);
    assertThat(sequencer.tag(later, third).floor()).isEqualTo(later);
  }

  @Test
  void aNewRegionIsNotAffectedByOtherRegionsThanTheOneThatWasSplit() {
    GroupId third = new GroupId(3);
    begin(REGION);
    sequencer.regionsChanged(topology(REGION, "m"), topology(REGION, "m", "t"));
    long later = begin(third);
    assertThat(sequencer.tag(later, third).floor()).isEqualTo(later);
  }

  /** It has their results until the floor passes them. */
  @Test
  void theWindowOfANewRegionCountsTheWritesOfTheOldOne() {
    long stuck = begin(REGION);
    for (int i = 1; i < RequestId.WINDOW - 1; i++) {
      sequencer.end(begin(REGION));
    }
    sequencer.regionsChanged(topology(REGION), topology(REGION, "m"));
    long last = begin(OTHER);
    assertThat(sequencer.begin(OTHER)).isEmpty();
    List<Long> begun = new ArrayList<>();
    sequencer.awaitCapacity(OTHER, () -> begun.add(begin(OTHER)));
    assertThat(sequencer.tag(stuck, OTHER).floor()).isEqualTo(stuck);
    sequencer.end(stuck);
    assertThat(begun).hasSize(1);
    assertThat(sequencer.tag(begun.get(0), OTHER).floor()).isEqualTo(last);
    assertThat(sequencer.begin(REGION)).isPresent();
  }

  private long begin(GroupId region) {
    return sequencer.begin(region).orElseThrow();
  }
}
