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

  @Test
  void anOversizedFrameClosesItsConnection() throws IOException {
    client.sendBytes(
        ByteBuffer.allocate(13).putInt(FRAME_BYTES_MAX + 1).putLong(1).put((byte) 3).array());

    assertFailure(0, Status.INVALID, FRAME_BYTES_MAX + " bytes (limits.frame)");
    client.awaitClosed();
  }

  @Test
  void aFrameShorterThanItsHeaderClosesItsConnection() throws IOException {
    client.sendBytes(ByteBuffer.allocate(4).putInt(-5).array());

    assertFailure(0, Status.INVALID, "claims -5");
    client.awaitClosed();
  }

  @Test
  void garbageClosesItsConnection() throws IOException {
    client.close();
    client = RawClient.withoutHandshake(node.clientPort());
    client.sendBytes("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(UTF_8));

    assertFailure(0, Status.INCOMPATIBLE, "not a Quorate preamble");
    client.awaitClosed();
  }

  @Test
  void anotherProtocolVersionClosesItsConnection() throws IOException {
    client.close();
    client = RawClient.withoutHandshake(node.clientPort());
    client.sendPreamble(Preamble.current() + 41);

    String versions =
        "version %d, and the client requested version %d"
            .formatted(Preamble.VERSION, Preamble.VERSION + 41);
    assertFailure(0, Status.INCOMPATIBLE, versions);
    client.awaitClosed();
  }

  @Test
  void anotherClusterClosesItsConnection() throws IOException {
    client.close();
    client = RawClient.withoutHandshake(node.clientPort());
    client.sendPreamble(Preamble.current());
    client.send(
        7, Opcode.HELLO.code(), Hello.newBuilder().setClusterId("prod").build().toByteArray());

    assertFailure(7, Status.INCOMPATIBLE, "cluster \"test\", and the client requested \"prod\"");
    client.awaitClosed();
  }

  @Test
  void aRequestBeforeTheHandshakeIsRejected() throws IOException {
    client.close();
    client = RawClient.withoutHandshake(node.clientPort());
    client.sendPreamble(Preamble.current());
    client.get(1, RawClient.to(1), Key.utf8("a"));

    assertFailure(1, Status.INVALID, "first request is a greeting");
    client.awaitClosed();
  }

  @Test
  void aMissingHandshakeClosesTheConnection() throws IOException {
    client.close();
    client = RawClient.withoutHandshake(shortTimeouts.clientPort());

    assertFailure(0, Status.INVALID, "1000ms (rpc.handshake-timeout)");
    client.awaitClosed();
  }

  @Test
  void anIncompleteFrameClosesTheConnection() throws IOException {
    client.close();
    client = RawClient.connect(shortTimeouts.clientPort());
    client.sendBytes(
        ByteBuffer.allocate(20).putInt(1000).putLong(1).put((byte) Opcode.WRITE.code()).array());

    assertFailure(0, Status.INVALID, "300ms (rpc.frame-timeout)");
    client.awaitClosed();
  }

  @Test
  void anIncompleteHeaderClosesTheConnection() throws IOException {
    client.close();
    client = RawClient.connect(shortTimeouts.clientPort());
    client.sendBytes(new byte[2]);

    assertFailure(0, Status.INVALID, "rpc.frame-timeout");
    client.awaitClosed();
  }

  @Test
  void anIdleConnectionStaysOpen() throws IOException {
    client.close();
    client = RawClient.connect(shortTimeouts.clientPort());
    try (RawClient other = RawClient.connect(shortTimeouts.clientPort())) {
      // Its incomplete frame times out while the other connection is idle.
      other.sendBytes(new byte[2]);
      assertThat(other.receive().status()).isEqualTo(Status.INVALID);
    }
    assertStillServed();
  }
}
