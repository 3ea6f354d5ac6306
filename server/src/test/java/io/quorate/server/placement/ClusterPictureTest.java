package io.quorate.server.placement;

import static io.quorate.server.placement.Pictures.disk;
import static io.quorate.server.placement.Pictures.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.NodeAddress;
import io.quorate.client.cluster.NodeReport;
import io.quorate.client.cluster.NodeState;
import io.quorate.client.cluster.RegionDescriptor;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.server.config.PlacementConfig;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.ReplicaChange;
import io.quorate.server.topology.StoredTopology;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ClusterPictureTest {
  /** It would receive replicas that it cannot open, and each change would be taken back later. */
  @Test
  void aNodeWithAnEmptiedDiskDoesNotCountAsOneThatResponds() {
    StoredTopology topology =
        new Pictures(1).nodes(4).metadata(1, 2, 3).region(1).region(1).region(1).topology();
    ClusterStatus status =
        new ClusterStatus(
            List.of(
                report(1, Optional.of(disk(1)), NodeState.JoinState.JOINED, List.of()),
                report(2, Optional.of(disk(9)), NodeState.JoinState.NEW, List.of()),
                report(3, Optional.of(disk(3)), NodeState.JoinState.NEW, List.of()),
                report(4, Optional.empty(), NodeState.JoinState.UNREPORTED, List.of())));
    ClusterPicture picture = ClusterPicture.of(topology, status);
    assertThat(picture.receivers())
        .as("also one that was added or replaced, and has yet to learn that")
        .containsExactlyInAnyOrder(node(1), node(3), node(4));
    assertThat(picture.responding()).containsExactlyInAnyOrderElementsOf(picture.receivers());
  }

  /** The node itself does not know it, and its replica goes on. */
  @Test
  void aReplicaThatLostWhatItHadAcknowledgedToItsLeaderIsReplaced() {
    StoredTopology topology = new Pictures(3).nodes(4).metadata(1, 2, 3).region(1, 2, 3).topology();
    GroupId region = new GroupId(1);
    ReplicaState leader = replica(topology.assignment(region).orElseThrow(), Set.of(node(3)));
    ClusterPicture picture =
        ClusterPicture.of(
            topology,
            new ClusterStatus(
                IntStream.rangeClosed(1, 4)
                    .mapToObj(
                        number ->
                            report(
                                number,
                                Optional.of(disk(number)),
                                NodeState.JoinState.JOINED,
                                number == 1 ? List.of(leader) : List.of()))
                    .toList()));
    assertThat(ReplicaPlacement.predict(picture, PlacementConfig.Policy.ED))
        .extracting(RegionChange::region, RegionChange::change)
        .contains(tuple(region, ReplicaChange.move(node(3), node(4))));
  }

  private static ReplicaState replica(RegionAssignment region, Set<NodeId> lostMembers) {
    RegionDescriptor descriptor =
        new RegionDescriptor(
            region.id(),
            region.epoch(),
            region.range(),
            region.replicas(),
            Optional.of(region.preferredLeader()));
    return new ReplicaState(
        descriptor,
        region.replicas(),
        true,
        1,
        1,
        1,
        1,
        Optional.empty(),
        Optional.empty(),
        0,
        0,
        ReplicaState.SplitKeys.NONE,
        false,
        OptionalDouble.empty(),
        lostMembers,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        OptionalDouble.empty(),
        Optional.empty());
  }

  private static NodeReport report(
      int number, Optional<UUID> disk, NodeState.JoinState joinState, List<ReplicaState> replicas) {
    NodeState state =
        new NodeState(
            node(number),
            "c",
            "1",
            "raft",
            Map.of(),
            Duration.ZERO,
            Optional.empty(),
            false,
            1,
            List.of(),
            List.of(),
            Map.of(),
            replicas,
            disk,
            joinState,
            Map.of(),
            Optional.empty(),
            Optional.empty(),
            List.of(),
            List.of(),
            0,
            Map.of());
    return new NodeReport(
        Optional.of(node(number)),
        new NodeAddress("h" + number, 1),
        Optional.of(state),
        Optional.empty());
  }
}
