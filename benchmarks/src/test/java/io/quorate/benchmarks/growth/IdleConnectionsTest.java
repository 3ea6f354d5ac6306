package io.quorate.benchmarks.growth;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.client.QuorateClient;
import io.quorate.testing.EmbeddedCluster;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class IdleConnectionsTest {
  @Test
  void theNodeServesOthersBesideThem() throws IOException {
    try (EmbeddedCluster cluster = EmbeddedCluster.start(1)) {
      String[] address = cluster.addresses().split(":");
      InetSocketAddress node = new InetSocketAddress(address[0], Integer.parseInt(address[1]));
      IdleConnections idle = IdleConnections.open(List.of(node), 200);
      try (QuorateClient client = QuorateClient.connect(cluster.addresses())) {
        byte[] key = "k".getBytes(StandardCharsets.US_ASCII);
        assertThatCode(() -> client.put(key, key)).doesNotThrowAnyException();
      } finally {
        idle.close();
      }
    }
  }

  @Test
  void aNodeThatClosesAConnectionIsReported() throws IOException {
    try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      InetSocketAddress address =
          new InetSocketAddress(InetAddress.getLoopbackAddress(), listener.getLocalPort());
      Thread closing =
          new Thread(
              () -> {
                try (Socket accepted = listener.accept()) {
                  accepted.shutdownOutput();
                  accepted.getInputStream().readAllBytes();
                } catch (IOException e) {
                  // The other side has closed it.
                  return;
                }
              });
      closing.start();
      assertThatThrownBy(() -> IdleConnections.open(List.of(address), 2))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("closed a connection");
    }
  }
}
