package io.quorate.server.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.quorate.model.Key;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.ClientId;
import io.quorate.protocol.operation.RequestId;
import io.quorate.protocol.wire.DataFrames;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Preamble;
import io.quorate.protocol.wire.Status;
import io.quorate.protocol.wire.v1.Hello;
import io.quorate.server.testing.RawClient;
import java.io.IOException;
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

  /** By a refusal that a client of any version can read. */
  private void assertRefused(String message) throws IOException {
    RawClient.Response refusal = client.receiveRefusal();
    assertThat(refusal.correlation()).isZero();
    assertThat(refusal.status()).isEqualTo(Status.INCOMPATIBLE);
    assertThat(refusal.failure().getMessage()).contains(message);
    client.awaitClosed();
  }

  /** Every byte of a write: length, check, correlation, kind, body and checksum. */
  @Test
  void aFrameWithOneAlteredBitHasNoEffectAndClosesItsConnection() throws IOException {
    byte[] intact = writeOf("altered", "value");
    for (int i = 0; i < intact.length; i++) {
      use(RawClient.connect(node.clientPort()));
      byte[] altered = intact.clone();
      altered[i] ^= (byte) (1 << i % Byte.SIZE);
      client.sendBytes(altered);
      // A longer length, if it was believed, would wait for these.
      client.sendBytes(intact);

      assertClosed(0, Status.INVALID, "does not match its checksum");
    }
    use(RawClient.connect(node.clientPort()));
    client.get(1, RawClient.to(1), Key.utf8("altered"));
    assertThat(DataFrames.readValue(afterPosition(assertOk(1)))).isEmpty();
  }

  private static ByteBuf afterPosition(RawClient.Response response) {
    DataFrames.readPosition(response.body());
    return response.body();
  }

  private static byte[] writeOf(String key, String value) {
    ByteBuf body = Unpooled.buffer();
    DataFrames.writeRouting(body, RawClient.to(1));
    RequestId tag = new RequestId(new ClientId(4, 4), 1, 1);
    body.writeBytes(new ClientCommand(tag, RawClient.put(key, value)).encoded());
    return RawClient.frame(1, Opcode.WRITE.code(), ByteBufUtil.getBytes(body));
  }

  @Test
  void anOversizedFrameClosesItsConnection() throws IOException {
    client.sendBytes(RawClient.header(FRAME_BYTES_MAX + 1, 1, Opcode.WRITE.code()));

    assertClosed(0, Status.INVALID, FRAME_BYTES_MAX + " bytes (limits.frame)");
  }

  @Test
  void aFrameShorterThanItsHeaderClosesItsConnection() throws IOException {
    client.sendBytes(RawClient.header(-5, 1, Opcode.WRITE.code()));

    assertClosed(0, Status.INVALID, "claims -5");
  }

  @Test
  void garbageClosesItsConnection() throws IOException {
    use(RawClient.withoutHandshake(node.clientPort()));
    client.sendBytes("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(UTF_8));

    assertRefused("not a Quorate preamble");
  }

  @Test
  void anotherProtocolVersionClosesItsConnection() throws IOException {
    use(RawClient.withoutHandshake(node.clientPort()));
    client.sendPreamble(Preamble.current() + 41);

    String versions =
        "version %d, and the client requested version %d"
            .formatted(Preamble.VERSION, Preamble.VERSION + 41);
    assertRefused(versions);
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
    client.sendBytes(RawClient.header(1000, 1, Opcode.WRITE.code()));
    client.sendBytes(new byte[20]);

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
