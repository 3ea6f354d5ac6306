package io.quorate.ratis.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.common.LoopbackPorts;
import io.quorate.consensus.Member;
import io.quorate.model.NodeId;
import io.quorate.ratis.health.PeerProbe.Change;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PeerProbeTest {
  private static final Member PEER =
      new Member(new NodeId("b"), InetSocketAddress.createUnresolved("127.0.0.1", 1));

  @Test
  void theReasonForAFailureIsNamed() throws IOException {
    assertThat(
            PeerProbe.connectFailure(InetSocketAddress.createUnresolved("no-such-host.invalid", 1)))
        .contains("unknown host");
    int port = LoopbackPorts.next();
    InetSocketAddress address = InetSocketAddress.createUnresolved("127.0.0.1", port);
    assertThat(PeerProbe.connectFailure(address)).contains("Connection refused");
    try (ServerSocket listening = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      assertThat(PeerProbe.connectFailure(address)).as("listening on %s", listening).isEmpty();
    }
  }

  @Test
  void eachChangeIsReportedOnce() {
    PeerProbe probe = new PeerProbe();
    assertThat(probe.observe(PEER, Optional.empty())).isEmpty();
    assertThat(probe.observe(PEER, Optional.of("unknown host")))
        .contains(new Change(PEER, Optional.of("unknown host")));
    assertThat(probe.observe(PEER, Optional.of("unknown host"))).isEmpty();
    assertThat(probe.observe(PEER, Optional.of("refused")))
        .contains(new Change(PEER, Optional.of("refused")));
    assertThat(probe.observe(PEER, Optional.empty())).contains(new Change(PEER, Optional.empty()));
    assertThat(probe.observe(PEER, Optional.empty())).isEmpty();
    probe.observe(PEER, Optional.of("refused"));
    probe.look(List.of());
    assertThat(probe.observe(PEER, Optional.empty())).as("after its group had a leader").isEmpty();
  }
}
