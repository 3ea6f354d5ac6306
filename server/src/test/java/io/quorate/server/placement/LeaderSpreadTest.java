package io.quorate.server.placement;

import static io.quorate.server.placement.Pictures.node;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.GroupId;
import io.quorate.server.topology.ReplicaChange;
import io.quorate.server.topology.StoredTopology;
import org.junit.jupiter.api.Test;

class LeaderSpreadTest {
  private static final Pictures PICTURES =
      new Pictures(3).nodes(3).metadata(1, 2, 3).region(1, 2, 3).region(1, 3, 2).region(2, 3, 1);

  @Test
  void aLeadershipMovesToTheNodeWithTheFewest() {
    StoredTopology topology = PICTURES.topology();
    assertThat(LeaderSpread.next(Pictures.led(topology)))
        .contains(new LeaderSpread.Transfer(new GroupId(1), node(3)));
  }

  @Test
  void nothingMovesWhereNumbersDifferByOne() {
    Pictures even = new Pictures(3).nodes(3).metadata(1, 2, 3).region(1, 2, 3).region(2, 3, 1);
    assertThat(LeaderSpread.next(Pictures.led(even.topology()))).isEmpty();
  }

  @Test
  void aRegionWhoseReplicasChangeKeepsItsLeader() {
    StoredTopology topology = PICTURES.topology();
    for (int id = 1; id <= 2; id++) {
      topology =
          topology.with(
              topology
                  .assignment(new GroupId(id))
                  .orElseThrow()
                  .planned(ReplicaChange.remove(node(2))));
    }
    assertThat(LeaderSpread.next(Pictures.led(topology))).isEmpty();
  }
}
