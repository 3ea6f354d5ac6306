package io.quorate.replication.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.model.NodeId;
import org.junit.jupiter.api.Test;

class PeerLivenessTest {
  private static final NodeId N2 = new NodeId("n2");
  private static final NodeId N3 = new NodeId("n3");

  private final PeerLiveness liveness = new PeerLiveness();

  @Test
  void aPeerIsReachableFromTheCheckAfterItsFirstFrame() {
    liveness.received(N2);
    assertThat(liveness.reachable()).isEmpty();
    assertThat(liveness.check()).isTrue();
    assertThat(liveness.reachable()).containsExactly(N2);
    assertThat(liveness.check()).isFalse();
  }

  @Test
  void aPeerIsUnreachableAfterFourChecksWithoutAFrame() {
    liveness.received(N2);
    liveness.received(N3);
    liveness.check();
    for (int i = 1; i < 4; i++) {
      liveness.received(N3);
      assertThat(liveness.check()).as("check %d", i).isFalse();
    }
    liveness.received(N3);
    assertThat(liveness.check()).isTrue();
    assertThat(liveness.reachable()).containsExactly(N3);

    liveness.received(N2);
    assertThat(liveness.check()).isTrue();
    assertThat(liveness.reachable()).containsExactlyInAnyOrder(N2, N3);
  }
}
