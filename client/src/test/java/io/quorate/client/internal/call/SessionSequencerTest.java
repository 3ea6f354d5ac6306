package io.quorate.client.internal.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.cluster.RegionDescriptor;
import io.quorate.client.cluster.RegionEpoch;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.NodeId;
import io.quorate.protocol.operation.ClientId;
import io.quorate.protocol.operation.RequestId;
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

  /** Regions with these ids, divided at these keys. */
  private static List<RegionDescriptor> topology(List<GroupId> ids, String... bounds) {
    List<RegionDescriptor> numbered = topology(REGION, bounds);
    List<RegionDescriptor> regions = new ArrayList<>();
    for (int i = 0; i < ids.size(); i++) {
      RegionDescriptor region = numbered.get(i);
      regions.add(
          new RegionDescriptor(
              ids.get(i), region.epoch(), region.range(), region.replicas(), region.leader()));
    }
    return regions;
  }

  /** {@link #REGION} absorbs {@link #OTHER}. */
  private void merge() {
    sequencer.regionsChanged(topology(REGION, "m"), topology(REGION));
  }

  @Test
  void aRegionThatAbsorbsAnotherTakesInItsWritesInTheirOrder() {
    List<Long> begun = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      begun.add(begin(OTHER));
      begun.add(begin(REGION));
    }
    assertThat(sequencer.tag(begun.get(1), REGION).floor()).isEqualTo(begun.get(1));
    merge();
    long later = begin(REGION);
    for (long outstanding : begun) {
      assertThat(sequencer.tag(later, REGION).floor()).isEqualTo(outstanding);
      assertThat(sequencer.tag(outstanding, REGION))
          .isEqualTo(new RequestId(client, outstanding, outstanding));
      sequencer.end(outstanding);
    }
    assertThat(sequencer.tag(later, REGION).floor()).isEqualTo(later);
  }

  /** No result of it is in the region that has absorbed the one that it left. */
  @Test
  void aWriteThatHasLeftARegionDoesNotReturnByAMerge() {
    GroupId third = new GroupId(3);
    long gone = begin(OTHER);
    long held = begin(OTHER);
    sequencer.tag(gone, third);
    sequencer.regionsChanged(
        topology(List.of(REGION, OTHER, third), "m", "t"), topology(List.of(REGION, third), "t"));
    long later = begin(REGION);
    assertThat(sequencer.tag(later, REGION).floor()).isEqualTo(held);
    sequencer.end(held);
    assertThat(sequencer.tag(later, REGION).floor()).isEqualTo(later);
    assertThat(sequencer.tag(gone, third).floor()).isEqualTo(gone);
  }

  @Test
  void aWriteReturnsToTheRegionThatItLeftByASplitWhenTheTwoMerge() {
    long moved = begin(REGION);
    long remaining = begin(REGION);
    sequencer.regionsChanged(topology(REGION), topology(REGION, "m"));
    sequencer.tag(moved, OTHER);
    assertThat(sequencer.tag(remaining, REGION).floor()).isEqualTo(remaining);
    merge();
    assertThat(sequencer.tag(remaining, REGION).floor()).isEqualTo(moved);
    assertThat(sequencer.tag(moved, REGION).floor()).isEqualTo(moved);
    sequencer.end(moved);
    assertThat(sequencer.tag(remaining, REGION).floor()).isEqualTo(remaining);
  }

  @Test
  void aWriteIsBelowTheFloorThatEitherOfTwoMergedRegionsHad() {
    long first = begin(REGION);
    long second = begin(OTHER);
    long third = begin(OTHER);
    sequencer.tag(first, REGION);
    sequencer.end(second);
    sequencer.tag(third, OTHER);
    assertThat(sequencer.isBelowFloor(first, REGION)).isFalse();
    merge();
    assertThat(sequencer.isBelowFloor(first, REGION)).isTrue();
    assertThat(sequencer.isBelowFloor(third, REGION)).isFalse();
    sequencer.regionsChanged(topology(REGION), topology(List.of(REGION, new GroupId(3)), "p"));
    assertThat(sequencer.isBelowFloor(first, new GroupId(3))).as("has the session").isTrue();
  }

  @Test
  void noWriteIsBelowTheFloorAfterASplit() {
    long first = begin(REGION);
    long second = begin(REGION);
    sequencer.end(first);
    sequencer.tag(second, REGION);
    sequencer.regionsChanged(topology(REGION), topology(REGION, "m"));
    assertThat(sequencer.isBelowFloor(second, OTHER)).isFalse();
  }

  /** The region may have dropped results to have room for new ones. */
  @Test
  void everyWriteIsBelowTheFloorAfterAMergeOfMoreResultsThanARegionKeeps() {
    long first = begin(OTHER);
    long last = first;
    for (int i = 1; i < RequestId.WINDOW / 2; i++) {
      last = begin(OTHER);
    }
    merge();
    assertThat(sequencer.isBelowFloor(last, REGION)).isFalse();
    sequencer.regionsChanged(topology(REGION), topology(REGION, "m"));
    long one = begin(REGION);
    sequencer.regionsChanged(topology(REGION, "m"), topology(REGION, "m", "t"));
    assertThat(sequencer.isBelowFloor(first, new GroupId(3))).as("after a split").isFalse();
    merge();
    assertThat(sequencer.isBelowFloor(one, REGION)).isTrue();
    assertThat(sequencer.isBelowFloor(begin(REGION), REGION)).isFalse();
  }

  /** The client may learn of several changes at once. */
  @Test
  void aRegionThatBeginsByASplitAfterAMergeHasTheWritesOfBothMergedRegions() {
    GroupId child = new GroupId(3);
    long left = begin(REGION);
    long right = begin(OTHER);
    sequencer.tag(right, OTHER);
    sequencer.regionsChanged(topology(REGION, "m"), topology(List.of(REGION, child), "m"));
    long later = begin(child);
    long laterLeft = begin(REGION);
    assertThat(sequencer.isBelowFloor(left, child)).isTrue();
    assertThat(sequencer.isBelowFloor(left, REGION)).isTrue();
    assertThat(sequencer.tag(later, child).floor()).isEqualTo(left);
    sequencer.end(left);
    assertThat(sequencer.tag(later, child).floor()).isEqualTo(right);
    assertThat(sequencer.tag(laterLeft, REGION).floor()).isEqualTo(right);
  }

  @Test
  void aMergeDoesNotAffectTheRegionsBesideIt() {
    GroupId third = new GroupId(3);
    GroupId fourth = new GroupId(4);
    begin(OTHER);
    begin(third);
    sequencer.regionsChanged(
        topology(List.of(REGION, OTHER, third, fourth), "h", "m", "t"),
        topology(List.of(REGION, OTHER, fourth), "h", "t"));
    long before = begin(REGION);
    long after = begin(fourth);
    assertThat(sequencer.tag(before, REGION).floor()).isEqualTo(before);
    assertThat(sequencer.tag(after, fourth).floor()).isEqualTo(after);
  }

  @Test
  void theWindowOfARegionThatHasEndedIsDroppedWithItsLastWrite() {
    long first = begin(OTHER);
    long second = begin(OTHER);
    sequencer.end(first);
    sequencer.tag(second, OTHER);
    merge();
    assertThat(sequencer.isBelowFloor(first, OTHER)).isTrue();
    sequencer.tag(second, REGION);
    assertThat(sequencer.isBelowFloor(first, OTHER)).as("dropped").isFalse();
    assertThat(sequencer.isBelowFloor(first, REGION)).isTrue();

    long third = begin(new GroupId(5));
    sequencer.tag(third, new GroupId(5));
    sequencer.end(third);
    merge();
    assertThat(sequencer.isBelowFloor(first, new GroupId(5))).as("had no writes").isFalse();
  }

  @Test
  void callbacksThatAwaitCapacityOfARegionThatHasEndedRunAtOnce() {
    for (int i = 0; i < RequestId.WINDOW; i++) {
      begin(OTHER);
    }
    List<Long> begun = new ArrayList<>();
    Runnable retried =
        new Runnable() {
          @Override
          public void run() {
            sequencer
                .begin(REGION)
                .ifPresentOrElse(begun::add, () -> sequencer.awaitCapacity(REGION, this));
          }
        };
    sequencer.awaitCapacity(OTHER, retried);
    merge();
    assertThat(begun).as("the window has the writes of the other region").isEmpty();
    sequencer.end(1);
    assertThat(begun).hasSize(1);
  }

  @Test
  void aWindowThatAMergeHasOverfilledBeginsNoWriteUntilItHasCapacity() {
    long left = begin(REGION);
    long right = begin(OTHER);
    for (int i = 1; i < RequestId.WINDOW; i++) {
      sequencer.end(begin(REGION));
      sequencer.end(begin(OTHER));
    }
    merge();
    sequencer.end(left);
    assertThat(sequencer.begin(REGION)).isEmpty();
    sequencer.end(right);
    assertThat(sequencer.begin(REGION)).isPresent();
  }

  @Test
  void aHeldWriteEndsWhenOthersNeedItsPlaceUnlessACallGoesOnWithIt() {
    long held = begin(REGION);
    for (int i = 1; i < RequestId.WINDOW; i++) {
      sequencer.end(begin(REGION));
    }
    List<String> ended = new ArrayList<>();
    sequencer.hold(held, () -> ended.add("once"));
    sequencer.resume(held);
    assertThat(sequencer.begin(REGION)).isEmpty();
    List<Long> begun = new ArrayList<>();
    sequencer.awaitCapacity(REGION, () -> begun.add(begin(REGION)));
    assertThat(ended).isEmpty();
    sequencer.hold(held, () -> ended.add("once"));
    assertThat(ended).containsExactly("once");
    assertThat(begun).hasSize(1);
    assertThat(sequencer.tag(begun.get(0), REGION).floor()).isEqualTo(begun.get(0));
  }

  private long begin(GroupId region) {
    return sequencer.begin(region).orElseThrow();
  }
}
