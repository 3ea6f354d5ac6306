package io.quorate.loopback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LoopbackPortsTest {
  private static final int A_BLOCK_HAS = 99;

  private final LoopbackPorts ports = new LoopbackPorts(2);
  private final LoopbackPorts ofAnotherProcess = new LoopbackPorts(2);

  @AfterEach
  void release() throws IOException {
    ports.release();
    ofAnotherProcess.release();
  }

  @Test
  void processesAreGivenDifferentPorts() {
    Set<Integer> own = new HashSet<>(take(ports, 150));
    Set<Integer> others = new HashSet<>(take(ofAnotherProcess, 150));
    assertThat(own).hasSize(150).doesNotContainAnyElementsOf(others);
    assertThat(others).hasSize(150);
    assertThat(own)
        .allMatch(
            port ->
                port > LoopbackPorts.LOWEST && port < LoopbackPorts.LOWEST + LoopbackPorts.COUNT);
  }

  @Test
  void aPortComesAgainOnlyAfterAllOthers() {
    List<Integer> first = take(ports, 2 * A_BLOCK_HAS);
    assertThat(first).doesNotHaveDuplicates();
    assertThat(take(ports, 2 * A_BLOCK_HAS)).isEqualTo(first);
  }

  @Test
  void aPortOnWhichSomebodyListensIsPassedOver() throws IOException {
    List<Integer> first = take(ports, 2 * A_BLOCK_HAS);
    try (ServerSocket listening =
        new ServerSocket(first.get(0), 1, InetAddress.getLoopbackAddress())) {
      assertThat(LoopbackPorts.isFree(listening.getLocalPort())).isFalse();
      assertThat(ports.take()).isEqualTo(first.get(1));
    }
  }

  @Test
  void whoMayHaveNoneIsToldSo() {
    assertThatThrownBy(() -> new LoopbackPorts(0).take())
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("There is no free TCP port from 12000 to 31999.");
  }

  private static List<Integer> take(LoopbackPorts from, int count) {
    return Stream.generate(from::take).limit(count).toList();
  }
}
