package io.quorate.torture.testbed.network;

import static java.time.Duration.ZERO;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.model.NodeId;
import io.quorate.server.localcluster.ClusterPlan;
import io.quorate.server.localcluster.ClusterPlan.Shape;
import io.quorate.server.localcluster.NodePlan;
import io.quorate.server.localcluster.Ports;
import io.quorate.server.localcluster.ProcessCluster;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The test is both the node and its client. */
@Timeout(60)
class NetworkTest {
  private static final int SHORT_MILLIS = 200;
  private static final int ALTERED_BYTES = 100;
  private static final NodeId NODE = new NodeId("n1");
  private static final Link REQUESTS = new Link(Link.CLIENTS, NODE);
  private static final Link RESPONSES = new Link(NODE, Link.CLIENTS);

  @TempDir private Path directory;
  private ProcessCluster cluster;
  private Network network;
  private ServerSocket node;
  private NodePlan plan;

  @BeforeEach
  void listen() throws IOException {
    Network.obstacle().ifPresent(reason -> Assumptions.abort("No relays here: " + reason));
    listen("relayed", Delays.NONE);
  }

  private void listen(String name, Delays delays) throws IOException {
    cluster =
        ProcessCluster.of(
            Network.relayed(
                ClusterPlan.of(
                    directory.resolve(name), name, new Shape(1, 1, "raft"), new Ports.Free())));
    plan = cluster.plan().nodes().get(0);
    network = Network.of(cluster, delays);
    node = new ServerSocket();
    node.bind(new InetSocketAddress(ClusterPlan.HOST, plan.clientPort()));
  }

  @AfterEach
  void close() throws IOException {
    if (network != null) {
      node.close();
      network.close();
      cluster.close();
    }
  }

  @Test
  void bytesArriveInBothDirections() throws IOException {
    try (Socket client = connect();
        Socket server = node.accept()) {
      client.getOutputStream().write(1);
      assertThat(server.getInputStream().read()).isEqualTo(1);
      server.getOutputStream().write(2);
      assertThat(client.getInputStream().read()).isEqualTo(2);
    }
  }

  @Test
  void aHeldDirectionDeliversLaterAndTheOtherOneContinues() throws IOException {
    try (Socket client = connect();
        Socket server = node.accept()) {
      Cut cut = new Cut(Set.of(RESPONSES), Cut.Mode.HELD);
      network.cut(cut);
      client.getOutputStream().write(1);
      assertThat(server.getInputStream().read()).isEqualTo(1);
      server.getOutputStream().write(2);
      client.setSoTimeout(SHORT_MILLIS);
      assertThatThrownBy(() -> client.getInputStream().read())
          .isInstanceOf(SocketTimeoutException.class);

      network.restore(cut);
      client.setSoTimeout(0);
      assertThat(client.getInputStream().read()).isEqualTo(2);
    }
  }

  @Test
  void aLinkThatTwoCutsHoldStaysHeldUntilBothAreRestored() throws IOException {
    try (Socket client = connect();
        Socket server = node.accept()) {
      Cut one = new Cut(Set.of(REQUESTS), Cut.Mode.HELD);
      Cut other = new Cut(Set.of(REQUESTS, RESPONSES), Cut.Mode.HELD);
      network.cut(one);
      network.cut(other);
      client.getOutputStream().write(1);
      network.restore(one);
      server.setSoTimeout(SHORT_MILLIS);
      assertThatThrownBy(() -> server.getInputStream().read())
          .isInstanceOf(SocketTimeoutException.class);

      network.restore(other);
      server.setSoTimeout(0);
      assertThat(server.getInputStream().read()).isEqualTo(1);
    }
  }

  @Test
  void aResetBreaksConnectionsAndDropsHeldBytes() throws IOException {
    try (Socket client = connect();
        Socket server = node.accept()) {
      Cut cut = new Cut(Set.of(RESPONSES), Cut.Mode.HELD);
      network.cut(cut);
      client.getOutputStream().write(1);
      assertThat(server.getInputStream().read()).isEqualTo(1);
      server.getOutputStream().write(2);

      network.reset(cut.links());
      network.restore(cut);

      assertThat(isBroken(client)).isTrue();
    }
  }

  @Test
  void duringAResetNewConnectionsBreakAtOnce() throws IOException {
    Cut cut = new Cut(Set.of(REQUESTS, RESPONSES), Cut.Mode.RESET);
    network.cut(cut);
    try (Socket client = connect()) {
      assertThat(isBroken(client)).isTrue();
    }

    network.restore(cut);
    try (Socket client = connect()) {
      client.getOutputStream().write(1);
      client.shutdownOutput();
      try (Socket server = node.accept()) {
        assertThat(server.getInputStream().read()).isEqualTo(1);
      }
    }
  }

  @Test
  void bitsOfOneDirectionAreFlippedUntilThatEnds() throws IOException {
    try (Socket client = connect();
        Socket server = node.accept()) {
      BitFlips flips = new BitFlips(Set.of(REQUESTS), 1, new Random(1));
      network.begin(flips);
      client.getOutputStream().write(new byte[ALTERED_BYTES]);
      byte[] received = server.getInputStream().readNBytes(ALTERED_BYTES);
      server.getOutputStream().write(2);
      assertThat(client.getInputStream().read()).isEqualTo(2);
      network.end(flips);
      client.getOutputStream().write(new byte[ALTERED_BYTES]);

      assertThat(received).isNotEqualTo(new byte[ALTERED_BYTES]);
      assertThat(flips.flipped(Set.of(NODE))).isPositive();
      assertThat(server.getInputStream().readNBytes(ALTERED_BYTES))
          .isEqualTo(new byte[ALTERED_BYTES]);
    }
  }

  @Test
  void aDelayedDirectionKeepsItsOrderAndTheOtherOneIsNotDelayed() throws IOException {
    close();
    listen("delayed", link -> link.equals(RESPONSES) ? Duration.ofMillis(SHORT_MILLIS) : ZERO);
    try (Socket client = connect();
        Socket server = node.accept()) {
      client.getOutputStream().write(1);
      assertThat(server.getInputStream().read()).isEqualTo(1);

      long sent = System.nanoTime();
      server.getOutputStream().write(new byte[] {2, 3});
      server.getOutputStream().write(4);
      server.shutdownOutput();

      assertThat(client.getInputStream().readNBytes(3)).containsExactly(2, 3, 4);
      assertThat(System.nanoTime() - sent)
          .isGreaterThanOrEqualTo(Duration.ofMillis(SHORT_MILLIS).toNanos());
      assertThat(client.getInputStream().read()).isNegative();
    }
  }

  private Socket connect() throws IOException {
    return new Socket(plan.host(), plan.clientPort());
  }

  private static boolean isBroken(Socket socket) {
    try {
      return socket.getInputStream().read() < 0;
    } catch (IOException e) {
      return true;
    }
  }
}
