package io.quorate.common;

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
  private static final int PORTS_PER_BLOCK = 99;

  private final LoopbackPorts ports = new LoopbackPorts(2);
  private final LoopbackPorts portsOfAnotherProcess = new LoopbackPorts(2);

  @AfterEach
  void release() throws IOException {
    ports.release();
    portsOfAnotherProcess.release();
  }

  @Test
  void processesGetDifferentPorts() {
    Set<Integer> own = new HashSet<>(take(ports, 150));
    Set<Integer> others = new HashSet<>(take(portsOfAnotherProcess, 150));
    assertThat(own).hasSize(150).doesNotContainAnyElementsOf(others);
    assertThat(others).hasSize(150);
    assertThat(own)
        .allMatch(
            port ->
                port > LoopbackPorts.LOWEST && port < LoopbackPorts.LOWEST + LoopbackPorts.COUNT);
  }

  @Test
  void aPortIsReusedOnlyAfterAllOthers() {
    List<Integer> first = take(ports, 2 * PORTS_PER_BLOCK);
    assertThat(first).doesNotHaveDuplicates();
    assertThat(take(ports, 2 * PORTS_PER_BLOCK)).isEqualTo(first);
  }

  @Test
  void aPortInUseIsSkipped() throws IOException {
    List<Integer> first = take(ports, 2 * PORTS_PER_BLOCK);
    try (ServerSocket listening =
        new ServerSocket(first.get(0), 1, InetAddress.getLoopbackAddress())) {
      assertThat(LoopbackPorts.isFree(listening.getLocalPort())).isFalse();
      assertThat(ports.take()).isEqualTo(first.get(1));
    }
  }

  @Test
  void failsIfNoPortIsFree() {
    assertThatThrownBy(() -> new LoopbackPorts(0).take())
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("There is no free TCP port from 12000 to 31999.");
  }

  private static List<Integer> take(LoopbackPorts from, int count) {
    return Stream.generate(from::take).limit(count).toList();
  }
}
