package io.quorate.server.placement;

import static io.quorate.server.placement.Pictures.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.consensus.ConsensusException;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.server.topology.RangeSupport;
import io.quorate.server.topology.ReplicaChange;
import io.quorate.server.topology.StoredTopology;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class MoveRequestsTest {
  private static final GroupId ONE = new GroupId(1);
  private static final GroupId TWO = new GroupId(2);
  private static final ReplicaChange MOVE = ReplicaChange.move(node(1), node(2));

  /** Region 2 began by a split of region 1. */
  private final ClusterPicture picture =
      new Pictures(1).nodes(2).metadata(1, 2).region(1).region(1).picture();

  @Test
  void aReplicaDoesNotMoveFromANodeWhereAnotherMayBeginByItsSplit() {
    ClusterPicture behind = Pictures.open(picture, Map.of(node(1), Set.of(ONE), node(2), Set.of()));
    assertThatThrownBy(() -> MoveRequests.plan(behind, ONE, MOVE))
        .isInstanceOf(ConsensusException.Unavailable.class)
        .hasMessageContaining("may begin by a split of region 1");

    ClusterPicture applied =
        Pictures.open(picture, Map.of(node(1), Set.of(ONE, TWO), node(2), Set.of()));
    assertThat(MoveRequests.plan(applied, ONE, MOVE).assignment(ONE).orElseThrow().change())
        .contains(MOVE);
  }

  /** Clients are told of it before the split is recorded as complete. */
  @Test
  void aReplicaOfARegionThatBeginsByASplitMovesLater() {
    StoredTopology planned =
        Splits.plan(picture.topology(), Key.utf8("a"), RangeSupport.SPLITS_OF_ROWS);
    GroupId child = new GroupId(3);
    assertThatThrownBy(() -> MoveRequests.plan(picture.with(planned), child, MOVE))
        .isInstanceOf(ConsensusException.Unavailable.class)
        .hasMessageContaining("begins by a split that is under way");
    assertThatThrownBy(() -> MoveRequests.plan(picture, child, MOVE))
        .isInstanceOf(ConsensusException.Invalid.class);
  }
}
