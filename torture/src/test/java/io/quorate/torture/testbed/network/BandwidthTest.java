package io.quorate.torture.testbed.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.model.NodeId;
import org.junit.jupiter.api.Test;

class BandwidthTest {
  private static final NodeId N1 = new NodeId("n1");
  private static final NodeId N2 = new NodeId("n2");
  private static final NodeId N3 = new NodeId("n3");

  /** A byte a microsecond. */
  private final Bandwidth bandwidth = Bandwidth.ofMegabits(8);

  private long reserve(NodeId from, NodeId to, int bytes, long micros) {
    return bandwidth.reserve(new Link(from, to), bytes, micros * 1000) / 1000;
  }

  @Test
  void whatANodeSendsToSeveralOthersSharesItsBandwidth() {
    assertThat(reserve(N1, N2, 100, 0)).isEqualTo(100);
    assertThat(reserve(N1, N3, 100, 0)).isEqualTo(200);
    assertThat(reserve(N2, N1, 100, 0)).as("the other direction").isEqualTo(100);
  }

  @Test
  void whatANodeReceivesFromSeveralOthersSharesItsBandwidth() {
    assertThat(reserve(N1, N3, 100, 0)).isEqualTo(100);
    assertThat(reserve(N2, N3, 100, 0)).isEqualTo(200);
  }

  @Test
  void unusedTimeIsNotSaved() {
    assertThat(reserve(N1, N2, 100, 0)).isEqualTo(100);
    assertThat(reserve(N1, N2, 100, 1000)).isEqualTo(1100);
  }

  @Test
  void clientsAreNotLimited() {
    assertThat(reserve(Link.CLIENTS, N1, 100, 0)).isEqualTo(100);
    assertThat(reserve(Link.CLIENTS, N2, 100, 0)).isEqualTo(100);
    assertThat(reserve(N1, Link.CLIENTS, 100, 0)).isEqualTo(100);
  }
}
