package io.quorate.storage.garbage;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.BodyId;
import io.quorate.model.GroupId;
import io.quorate.model.Position;
import org.junit.jupiter.api.Test;

class BodyHorizonTest {
  private static final BodyHorizon HORIZON = new BodyHorizon(new Position(5, 100), 10);

  private static boolean settles(BodyHorizon horizon, long epoch, long number) {
    return horizon.settles(new BodyId(new GroupId(1), epoch, number));
  }

  @Test
  void settlesLowerEpochsAndNumbersBelowTheFloor() {
    assertThat(settles(HORIZON, 4, 1_000)).isTrue();
    assertThat(settles(HORIZON, 5, 9)).isTrue();
    assertThat(settles(HORIZON, 5, 10)).isFalse();
    assertThat(settles(HORIZON, 6, 0)).isFalse();
    assertThat(settles(BodyHorizon.NONE, 0, 0)).isFalse();
  }

  @Test
  void theFloorEndsWithItsEpoch() {
    assertThat(HORIZON.advancedTo(new Position(5, 101)))
        .isEqualTo(new BodyHorizon(new Position(5, 101), 10));
    assertThat(HORIZON.advancedTo(new Position(6, 101)))
        .isEqualTo(new BodyHorizon(new Position(6, 101), 0));
    assertThat(HORIZON.advancedTo(new Position(6, 101), 3))
        .isEqualTo(new BodyHorizon(new Position(6, 101), 3));
  }

  @Test
  void theFloorDoesNotFall() {
    assertThat(HORIZON.advancedTo(new Position(5, 101), 7).floor()).isEqualTo(10);
    assertThat(HORIZON.advancedTo(new Position(5, 101), 12).floor()).isEqualTo(12);
  }
}
