package io.quorate.replication.transport;

import static io.quorate.replication.transport.TransportNode.GROUP;
import static io.quorate.replication.transport.TransportNode.numbered;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.quorate.consensus.Member;
import io.quorate.consensus.Starts;
import io.quorate.model.NodeId;
import io.quorate.replication.transport.handshake.FrameType;
import io.quorate.replication.transport.handshake.Handshake;
import io.quorate.replication.transport.handshake.PeerFrames;
import io.quorate.replication.transport.handshake.RefusalReason;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Frames with one altered bit, over sockets: none has an effect, and its connection is closed. */
class AlteredFramesTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final UUID DISK = new UUID(7, 8);

  @TempDir Path root;

  private final TransportLog log = new TransportLog();
  private TransportNode node;

  @BeforeEach
  void start() throws IOException {
    node = new TransportNode("n1", root).start();
  }

  @AfterEach
  void close() {
    node.close();
    log.close();
  }

  private static byte[] message(long number) {
    ByteBuf frame = PeerFrames.begin(UnpooledByteBufAllocator.DEFAULT, FrameType.MESSAGE, 64);
    numbered(number).write(frame.writeInt(GROUP.value()));
    return ByteBufUtil.getBytes(PeerFrames.end(frame));
  }

  private static ByteBuf altered(byte[] intact, int at) {
    byte[] altered = intact.clone();
    altered[at] ^= (byte) (1 << at % Byte.SIZE);
    return Unpooled.wrappedBuffer(altered);
  }

  @Test
  void anAlteredMessageIsNotDeliveredAndItsConnectionIsClosed() throws IOException {
    byte[] intact = message(1);
    for (int at = 0; at < intact.length; at++) {
      try (RawPeer peer = RawPeer.dial(node).send(RawPeer.hello("n2", DISK, node))) {
        assertThat(peer.receiveType()).isEqualTo(FrameType.WELCOME);
        // A longer length, if it was believed, would wait for the second one.
        peer.send(altered(intact, at)).send(Unpooled.wrappedBuffer(intact));
        Handshake.Refused refused = peer.receiveRefusal();
        assertThat(refused.reason()).as("byte %d", at).isEqualTo(RefusalReason.CHECKSUM);
        assertThat(refused.detail()).contains("node n2");
        assertThat(peer.receive()).isEmpty();
      }
    }
    assertThat(node.received).isEmpty();
    assertThat(node.telemetry.count("refused.connections/checksum")).isEqualTo(intact.length);
    assertThat(log.lines()).anyMatch(line -> line.contains("peer=n2"));
    try (RawPeer peer = RawPeer.dial(node).send(RawPeer.hello("n2", DISK, node))) {
      assertThat(peer.receiveType()).isEqualTo(FrameType.WELCOME);
      peer.send(Unpooled.wrappedBuffer(intact));
      await().atMost(PATIENCE).until(() -> node.received.size() == 1);
    }
  }

  @Test
  void anAlteredHelloIsNotRecorded() throws IOException {
    ByteBuf hello = RawPeer.hello("n2", DISK, node).greeting(UnpooledByteBufAllocator.DEFAULT);
    byte[] intact = ByteBufUtil.getBytes(hello);
    // An altered length is awaited until the timeout of the handshake, or is too long.
    for (int at = Integer.BYTES; at < intact.length; at++) {
      try (RawPeer peer = RawPeer.dial(node).send(altered(intact, at))) {
        assertThat(peer.receiveRefusalReason())
            .as("byte %d", at)
            .isIn(RefusalReason.CHECKSUM, RefusalReason.VERSION);
      }
    }
    assertThat(node.identities.diskOf(new NodeId("n2"))).isEmpty();
  }

  @Test
  void anAlteredWelcomeIsNotRecorded() throws IOException {
    TransportNode other = new TransportNode("n2", root);
    byte[] intact =
        ByteBufUtil.getBytes(
            new Handshake.Welcome(Optional.empty(), other.id, DISK, Starts.NONE)
                .greeting(UnpooledByteBufAllocator.DEFAULT));
    try (ServerSocket server = new ServerSocket(0)) {
      node.transport.link(
          new Member(
              other.id, InetSocketAddress.createUnresolved("127.0.0.1", server.getLocalPort())));
      for (int at = Integer.BYTES; at < intact.length; at++) {
        try (RawPeer peer = RawPeer.accepted(server.accept())) {
          assertThat(peer.receiveType()).isEqualTo(FrameType.HELLO);
          peer.send(altered(intact, at));
          assertThat(peer.receiveRefusalReason())
              .as("byte %d", at)
              .isEqualTo(RefusalReason.CHECKSUM);
        }
      }
    }
    assertThat(node.identities.diskOf(other.id)).isEmpty();
    assertThat(node.acceptances).isEmpty();
  }
}
