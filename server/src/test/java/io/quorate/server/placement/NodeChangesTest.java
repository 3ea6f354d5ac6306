package io.quorate.server.placement;

import static io.quorate.server.placement.Pictures.entry;
import static io.quorate.server.placement.Pictures.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.consensus.ConsensusException;
import io.quorate.model.GroupId;
import io.quorate.server.config.ClusterNode;
import io.quorate.server.config.PlacementConfig.Policy;
import io.quorate.server.topology.NodeEntry;
import io.quorate.server.topology.RangeSupport;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.ReplicaChange;
import io.quorate.server.topology.StoredTopology;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class NodeChangesTest {
  private static final StoredTopology THREE =
      new Pictures(3).nodes(3).metadata(1, 2, 3).region(1, 2, 3).topology();
  private static final StoredTopology FOUR =
      new Pictures(3).nodes(4).metadata(1, 2, 3).region(1, 2, 3).topology();

  private static void assertRefused(ThrowingCallable change, String reason) {
    assertThatThrownBy(change)
        .isInstanceOf(ConsensusException.Invalid.class)
        .hasMessageContaining(reason);
  }

  @Test
  void aNodeIsAddedOnce() {
    StoredTopology added = NodeChanges.add(THREE, entry(4, false));
    assertThat(added.node(node(4))).contains(entry(4, false));
    assertThat(NodeChanges.add(added, entry(4, false))).isEqualTo(added);
    NodeEntry otherDisk = entry(4, false).on(Pictures.disk(9));
    assertRefused(() -> NodeChanges.add(added, otherDisk), "another disk");
    NodeEntry withoutDisk =
        new NodeEntry(entry(5, false).node(), Optional.empty(), false, RangeSupport.SPLITS);
    assertRefused(() -> NodeChanges.add(added, withoutDisk), "no identity");
    NodeEntry sameAddress =
        new NodeEntry(
            new ClusterNode(node(6), "h4", 7004, 1, 2),
            Optional.of(Pictures.disk(6)),
            false,
            RangeSupport.SPLITS);
    assertRefused(() -> NodeChanges.add(added, sameAddress), "Node n4 has the address h4:7004");
  }

  @Test
  void aNodeIsDrainedOnlyWhereTheOthersCanHoldEveryReplica() {
    assertThat(NodeChanges.drain(FOUR, node(1)).node(node(1)).orElseThrow().isDraining()).isTrue();
    assertRefused(
        () -> NodeChanges.drain(THREE, node(1)),
        "Region 1 has 3 replicas, and without n1 only 2 nodes are left");
    assertRefused(() -> NodeChanges.drain(THREE, node(7)), "The cluster has no node n7");
    StoredTopology drained = NodeChanges.drain(FOUR, node(4));
    assertThat(NodeChanges.drain(drained, node(4))).isEqualTo(drained);
    assertThat(NodeChanges.undrain(drained, node(4)).node(node(4))).isEqualTo(FOUR.node(node(4)));
  }

  @Test
  void aNodeIsRemovedOnlyWithoutReplicas() {
    assertThat(NodeChanges.remove(FOUR, node(4)).node(node(4))).isEmpty();
    assertRefused(() -> NodeChanges.remove(FOUR, node(1)), "Node n1 has replicas of regions 0, 1");
  }

  /** Its groups continue without it; what is missing then is added as usual. */
  @Test
  void theReplicasOfALostDiskAreRemovedFromTheirGroups() {
    NodeEntry replaced = entry(3, false).on(Pictures.disk(33));
    StoredTopology after = NodeChanges.replace(THREE, replaced).next();
    assertThat(after.node(node(3))).contains(replaced);
    assertThat(after.assignments())
        .allMatch(region -> region.change().equals(Optional.of(ReplicaChange.remove(node(3)))));
    assertThat(NodeChanges.replace(after, replaced)).isEqualTo(new NodeChange(after));
    StoredTopology removed = after;
    for (int id = 0; id <= 1; id++) {
      removed = removed.with(removed.assignment(new GroupId(id)).orElseThrow().changed());
    }
    assertThat(ReplicaPlacement.predict(Pictures.of(removed), Policy.ED))
        .extracting(RegionChange::change)
        .containsExactly(ReplicaChange.add(node(3)), ReplicaChange.add(node(3)));
  }

  @Test
  void aLostDiskThatHadTheMajorityIsNotReplaced() {
    StoredTopology two = new Pictures(2).nodes(2).metadata(1, 2).region(1, 2).topology();
    NodeChange change = NodeChanges.replace(two, entry(2, false).on(Pictures.disk(22)));
    assertThat(change.next()).isEqualTo(two);
    assertThat(change.refusal().orElseThrow())
        .isInstanceOf(ConsensusException.Invalid.class)
        .hasMessageContaining("Region 0 has its replicas on [n1, n2], which have no majority")
        .hasMessageContaining("Region 1 has");
    assertRefused(
        () -> NodeChanges.replace(THREE, entry(9, false).on(Pictures.disk(99))),
        "The cluster has no node n9");
  }

  @Test
  void aReplicaThatWasOnItsWayToALostDiskIsTakenBack() {
    StoredTopology moving =
        FOUR.with(
            FOUR.assignment(new GroupId(1))
                .orElseThrow()
                .planned(ReplicaChange.move(node(1), node(4))));
    StoredTopology after =
        NodeChanges.replace(moving, entry(4, false).on(Pictures.disk(44))).next();
    assertThat(after.assignment(new GroupId(1)).orElseThrow().change())
        .contains(ReplicaChange.remove(node(4)));
  }

  /** One region with another change under way does not keep the others waiting. */
  @Test
  void theRegionsOfALostDiskContinueWithoutItAsSoonAsTheyCan() {
    StoredTopology moving =
        FOUR.with(
            FOUR.assignment(new GroupId(1))
                .orElseThrow()
                .planned(ReplicaChange.move(node(1), node(4))));
    NodeEntry replaced = entry(2, false).on(Pictures.disk(22));
    NodeChange first = NodeChanges.replace(moving, replaced);
    assertThat(first.refusal().orElseThrow())
        .isInstanceOf(ConsensusException.Unavailable.class)
        .hasMessageContaining("A move from n1 to n4 of a replica of region 1 is under way");
    assertThat(first.next().assignment(new GroupId(0)).orElseThrow().change())
        .contains(ReplicaChange.remove(node(2)));
    assertThat(first.next().node(node(2))).as("the former disk").isEqualTo(FOUR.node(node(2)));
    StoredTopology later = first.next();
    for (int id = 0; id <= 1; id++) {
      later = later.with(later.assignment(new GroupId(id)).orElseThrow().changed());
    }
    NodeChange second = NodeChanges.replace(later, replaced);
    assertThat(second.refusal()).isEmpty();
    assertThat(second.next().node(node(2))).contains(replaced);
    assertThat(second.next().assignment(new GroupId(1)).orElseThrow().change())
        .contains(ReplicaChange.remove(node(2)));
  }

  @Test
  void aNodeRegistersItsDiskOnceAndItsAddressAlways() {
    StoredTopology unregistered =
        THREE.with(
            new NodeEntry(entry(2, false).node(), Optional.empty(), true, RangeSupport.SPLITS));
    StoredTopology registered = NodeChanges.register(unregistered, entry(2, false));
    assertThat(registered.node(node(2))).contains(entry(2, true));
    NodeEntry moved =
        new NodeEntry(
            entry(22, false).node(), Optional.of(Pictures.disk(2)), false, RangeSupport.SPLITS);
    assertRefused(() -> NodeChanges.register(registered, moved), "no node n22");
    assertThat(NodeChanges.register(registered, entry(2, false, "zone=a")).node(node(2)))
        .contains(entry(2, true, "zone=a"));
    assertRefused(
        () -> NodeChanges.register(registered, entry(2, false).on(Pictures.disk(9))),
        "another disk");
  }

  /** It was lost, came back, and its disk is replaced before that is confirmed. */
  @Test
  void aReplicaWhoseRemovalIsTakenBackIsRemovedWithItsDisk() {
    GroupId region = new GroupId(1);
    RegionAssignment staying =
        THREE.assignment(region).orElseThrow().planned(ReplicaChange.remove(node(3))).withdrawn();
    StoredTopology after =
        NodeChanges.replace(THREE.with(staying), entry(3, false).on(Pictures.disk(33))).next();
    assertThat(after.assignment(region).orElseThrow().removed()).contains(node(3));
  }
}
