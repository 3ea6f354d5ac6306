package io.quorate.server.placement;

import static io.quorate.server.placement.Pictures.node;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.client.cluster.ClusterStatus;
import io.quorate.consensus.ConsensusException;
import io.quorate.protocol.wire.v1.RegionChange;
import io.quorate.protocol.wire.v1.ReplicaChange;
import java.util.List;
import org.junit.jupiter.api.Test;

class RegisteredDiskTest {
  private static final ClusterStatus NO_REPORTS = new ClusterStatus(List.of());

  @Test
  void aNodeThatWaitsForItsReplicasMayBeRequestedAgain() {
    RegisteredDisk.requireWaiting(node(3), NO_REPORTS, List.of(change("n3", "")));
    RegisteredDisk.requireWaiting(node(3), NO_REPORTS, List.of(change("", "n3")));
  }

  @Test
  void aNodeForWhichNothingIsPlannedStillHasTheDisk() {
    requireRefused(List.of());
    requireRefused(List.of(change("n3", "n4"), change("n1", ""), change("", "n2")));
  }

  private static void requireRefused(List<RegionChange> changes) {
    assertThatThrownBy(() -> RegisteredDisk.requireWaiting(node(3), NO_REPORTS, changes))
        .isInstanceOf(ConsensusException.Invalid.class)
        .hasMessageContaining("Node n3 runs on the disk that is registered for it; to replace");
  }

  private static RegionChange change(String from, String to) {
    return RegionChange.newBuilder()
        .setRegion(1)
        .setChange(ReplicaChange.newBuilder().setFrom(from).setTo(to))
        .build();
  }
}
