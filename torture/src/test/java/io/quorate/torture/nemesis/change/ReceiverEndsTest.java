package io.quorate.torture.nemesis.change;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.torture.nemesis.change.ReceiverEnds.Cause;
import java.util.EnumSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ReceiverEndsTest {
  @Test
  void whereEveryNodeHasEveryRegionANodeReceivesItsOwnReplicasAgain() {
    assertThat(causes(false)).containsOnly(Cause.REPLACEMENT);
    assertThat(causes(true)).containsExactlyInAnyOrder(Cause.values());
  }

  private static Set<Cause> causes(boolean moves) {
    Random random = new Random(1);
    Set<Cause> causes = EnumSet.noneOf(Cause.class);
    for (int i = 0; i < 100; i++) {
      causes.add(Cause.choose(moves, random));
    }
    return causes;
  }
}
