package io.quorate.server.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.wire.Opcode;
import io.quorate.client.wire.Preamble;
import io.quorate.client.wire.Status;
import io.quorate.client.wire.v1.Hello;
import io.quorate.consensus.Key;
import io.quorate.server.testing.RawClient;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Connections whose frames or handshakes are invalid or incomplete are closed. */
class RpcConnectionTest extends RpcFixture {
  private static final int FRAME_BYTES_MAX = 1 << 20;

  /** A node with short timeouts for handshakes and incomplete frames. */
  private static QuorateNode shortTimeouts;

  @BeforeAll
  static void startWithShortTimeouts() {
    shortTimeouts =
        start(
            "short-timeouts",
            """
            engine = memory
            rpc { handshake-timeout = 1s, frame-timeout = 300ms }
            """);
  }

  @AfterAll
  static void stopWithShortTimeouts() {
    shortTimeouts.close();
  }

  private void use(RawClient other) throws IOException {
    client.close();
    client = other;
  }

  private void assertClosed(long correlation, Status status, String message) throws IOException {
    assertFailure(correlation, status, message);
    client.awaitClosed();
  }

  @Test
  void anOversizedFrameClosesItsConnection() throws IOException {
    client.sendBytes(
        ByteBuffer.allocate(13).putInt(FRAME_BYTES_MAX + 1).putLong(1).put((byte) 3).array());

    assertClosed(0, Status.INVALID, FRAME_BYTES_MAX + " bytes (limits.frame)");
  }

  @Test
  void aFrameShorterThanItsHeaderClosesItsConnection() throws IOException {
    client.sendBytes(ByteBuffer.allocate(4).putInt(-5).array());

    assertClosed(0, Status.INVALID, "claims -5");
  }

  @Test
  void garbageClosesItsConnection() throws IOException {
    use(RawClient.withoutHandshake(node.clientPort()));
    client.sendBytes("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(UTF_8));

    assertClosed(0, Status.INCOMPATIBLE, "not a Quorate preamble");
  }

  @Test
  void anotherProtocolVersionClosesItsConnection() throws IOException {
    use(RawClient.withoutHandshake(node.clientPort()));
    client.sendPreamble(Preamble.current() + 41);

    String versions =
        "version %d, and the client requested version %d"
            .formatted(Preamble.VERSION, Preamble.VERSION + 41);
    assertClosed(0, Status.INCOMPATIBLE, versions);
  }

  @Test
  void anotherClusterClosesItsConnection() throws IOException {
    use(RawClient.withoutHandshake(node.clientPort()));
    client.sendPreamble(Preamble.current());
    client.send(
        7, Opcode.HELLO.code(), Hello.newBuilder().setClusterId("prod").build().toByteArray());

    assertClosed(7, Status.INCOMPATIBLE, "cluster \"test\", and the client requested \"prod\"");
  }

  @Test
  void aRequestBeforeTheHandshakeIsRejected() throws IOException {
    use(RawClient.withoutHandshake(node.clientPort()));
    client.sendPreamble(Preamble.current());
    client.get(1, RawClient.to(1), Key.utf8("a"));

    assertClosed(1, Status.INVALID, "first request is a greeting");
  }

  @Test
  void aMissingHandshakeClosesTheConnection() throws IOException {
    use(RawClient.withoutHandshake(shortTimeouts.clientPort()));

    assertClosed(0, Status.INVALID, "1000ms (rpc.handshake-timeout)");
  }

  @Test
  void anIncompleteFrameClosesTheConnection() throws IOException {
    use(RawClient.connect(shortTimeouts.clientPort()));
    client.sendBytes(
        ByteBuffer.allocate(20).putInt(1000).putLong(1).put((byte) Opcode.WRITE.code()).array());

    assertClosed(0, Status.INVALID, "300ms (rpc.frame-timeout)");
  }

  @Test
  void anIncompleteHeaderClosesTheConnection() throws IOException {
    use(RawClient.connect(shortTimeouts.clientPort()));
    client.sendBytes(new byte[2]);

    assertClosed(0, Status.INVALID, "rpc.frame-timeout");
  }

  @Test
  void anIdleConnectionStaysOpen() throws IOException {
    use(RawClient.connect(shortTimeouts.clientPort()));
    try (RawClient other = RawClient.connect(shortTimeouts.clientPort())) {
      // Its incomplete frame times out while the other connection is idle.
      other.sendBytes(new byte[2]);
      assertThat(other.receive().status()).isEqualTo(Status.INVALID);
    }
    assertStillServed();
  }
}
