package io.quorate.torture.testbed.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.quorate.server.localcluster.ClusterPlan;
import io.quorate.server.localcluster.ClusterPlan.Shape;
import io.quorate.server.localcluster.NodePlan;
import io.quorate.server.localcluster.ProcessCluster;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
class LimitedNetworkTest {
  private static final Duration SERVING_PATIENCE = Duration.ofSeconds(90);
  private static final Path NAMESPACES = Path.of("/run/netns");

  @TempDir private Path data;

  @Test
  void aNodeHasItsOwnNamespaceAndBandwidthUntilTheNetworkIsClosed() throws Exception {
    assumeThat(LimitedNetwork.obstacle()).isEmpty();
    String name = "qr" + ProcessHandle.current().pid() + "-1";
    try (LimitedNetwork network = LimitedNetwork.open(1, 123)) {
      assertThat(NAMESPACES.resolve(name)).exists();
      assertThat(output("tc", "-n", name, "qdisc", "show", "dev", "eth0"))
          .contains("tbf", "123Mbit");
      try (ProcessCluster cluster =
          ProcessCluster.temporary(
              data,
              new Shape(1, 1, "raft"),
              network::connected,
              node -> network.launch(node, Map.of("cluster.replicas", "1")))) {
        cluster.start();
        cluster.awaitServing(SERVING_PATIENCE);

        NodePlan node = cluster.plan().nodes().get(0);
        assertThat(node.host()).isNotEqualTo(ClusterPlan.HOST);
        assertThat(networkOf(cluster.nodes().get(0).handle().orElseThrow()))
            .isNotEqualTo(networkOf(ProcessHandle.current()));
        try (Socket socket = new Socket()) {
          socket.connect(new InetSocketAddress(node.host(), node.clientPort()));
          assertThat(socket.isConnected()).isTrue();
        }
      }
    }
    assertThat(NAMESPACES.resolve(name)).doesNotExist();
  }

  @Test
  void aNetworkIsOpenedRightAfterAnother() throws Exception {
    assumeThat(LimitedNetwork.obstacle()).isEmpty();
    for (int i = 0; i < 5; i++) {
      LimitedNetwork.open(3, 100).close();
    }
    assertThat(NAMESPACES.resolve("qr" + ProcessHandle.current().pid() + "-0")).doesNotExist();
  }

  private static Path networkOf(ProcessHandle process) throws IOException {
    return Files.readSymbolicLink(Path.of("/proc", Long.toString(process.pid()), "ns", "net"));
  }

  private static String output(String... command) throws IOException {
    Process process = new ProcessBuilder(command).start();
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }
}
