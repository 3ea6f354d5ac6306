package io.quorate.server.placement;

import static io.quorate.server.placement.Pictures.disk;
import static io.quorate.server.placement.Pictures.node;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.ClusterStatus;
import io.quorate.client.NodeAddress;
import io.quorate.client.NodeReport;
import io.quorate.client.NodeState;
import io.quorate.server.topology.StoredTopology;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
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
                report(1, Optional.of(disk(1)), NodeState.JoinState.JOINED),
                report(2, Optional.of(disk(9)), NodeState.JoinState.NEW),
                report(3, Optional.of(disk(3)), NodeState.JoinState.NEW),
                report(4, Optional.empty(), NodeState.JoinState.UNREPORTED)));
    ClusterPicture picture = ClusterPicture.of(topology, status);
    assertThat(picture.receivers())
        .as("also one that was added or replaced, and has yet to learn that")
        .containsExactlyInAnyOrder(node(1), node(3), node(4));
    assertThat(picture.responding()).containsExactlyInAnyOrderElementsOf(picture.receivers());
  }

  private static NodeReport report(int number, Optional<UUID> disk, NodeState.JoinState joinState) {
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
            List.of(),
            disk,
            joinState,
            Map.of(),
            Optional.empty(),
            Optional.empty(),
            List.of(),
            List.of());
    return new NodeReport(
        Optional.of(node(number)),
        new NodeAddress("h" + number, 1),
        Optional.of(state),
        Optional.empty());
  }
}
