package io.quorate.client;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.protocol.tls.Authority;
import io.quorate.protocol.tls.CertificateName;
import io.quorate.protocol.tls.CertificateName.Kind;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class BrokenHandshakeTest {
  /** As a node that is being stopped: another attempt may succeed, and so the client goes on. */
  @Test
  void aNodeThatClosesTheConnectionIsUnavailable(@TempDir Path directory) throws IOException {
    Authority.in(directory)
        .sign(new CertificateName(Kind.USER, "al"), Set.of(), directory.resolve("al"));
    try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Thread closing = new Thread(() -> closeEach(server));
      closing.setDaemon(true);
      closing.start();
      ClientOptions options =
          ClientOptions.builder("127.0.0.1:" + server.getLocalPort())
              .certificates(directory.resolve("al"))
              .deadline(Duration.ofSeconds(2))
              .build();
      assertThatThrownBy(() -> QuorateClient.connect(options).close())
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("closed before both ends knew each other");
    }
  }

  private static void closeEach(ServerSocket server) {
    try {
      while (true) {
        server.accept().close();
      }
    } catch (IOException e) {
      // The test has ended.
      return;
    }
  }
}
