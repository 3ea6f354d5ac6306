package io.quorate.replication.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.quorate.model.NodeId;
import io.quorate.replication.transport.handshake.FrameType;
import io.quorate.replication.transport.handshake.PeerFrames;
import java.io.IOException;
import java.net.SocketException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bytes that no node sends: they end their own connection at most. */
class FuzzedFramesTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(20);
  private static final int CONNECTIONS = 300;
  private static final int BYTES_MAX = 400;

  @TempDir Path root;

  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);
  private TransportNode node;
  private TransportNode peer;

  @BeforeEach
  void start() throws IOException {
    node = new TransportNode("n1", root).start();
    peer = new TransportNode("n2", root).start();
    peer.link(node);
    await().atMost(TIMEOUT).until(() -> peer.isConnectedTo(node));
  }

  @AfterEach
  void close() {
    peer.close();
    node.close();
  }

  @Test
  void aConnectedNodeIsServedWhateverOthersSend() throws IOException {
    for (int i = 0; i < CONNECTIONS; i++) {
      try (RawPeer other = RawPeer.dial(node)) {
        if (random.nextBoolean()) {
          other.send(RawPeer.hello("n3", new UUID(3, 3), node));
        }
        other.send(random.nextBoolean() ? mutatedFrame() : randomBytes());
      } catch (SocketException e) {
        // The node has closed the connection before all bytes were sent.
        continue;
      }
    }
    peer.send(TransportNode.numbered(7), node);
    peer.transport.flush();
    await()
        .atMost(TIMEOUT)
        .untilAsserted(
            () -> assertThat(node.numbersFrom(peer)).as("seed %d", seed).containsExactly(7L));
    assertThat(node.failures).as("seed %d", seed).isEmpty();
    assertThat(node.identities.diskOf(new NodeId("n2"))).as("seed %d", seed).isPresent();
    await().atMost(TIMEOUT).until(() -> node.telemetry.gauge("accepted.connections") <= 2);
  }

  private ByteBuf randomBytes() {
    byte[] bytes = new byte[1 + random.nextInt(BYTES_MAX)];
    random.nextBytes(bytes);
    return Unpooled.wrappedBuffer(bytes);
  }

  /** A valid message with some bytes changed, cut off at a random place. */
  private ByteBuf mutatedFrame() {
    ByteBuf frame = PeerFrames.begin(UnpooledByteBufAllocator.DEFAULT, FrameType.MESSAGE, 64);
    TransportNode.numbered(random.nextLong()).write(frame.writeInt(TransportNode.GROUP.value()));
    byte[] bytes = ByteBufUtil.getBytes(PeerFrames.end(frame));
    frame.release();
    for (int i = random.nextInt(4); i > 0; i--) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
    }
    return Unpooled.wrappedBuffer(bytes, 0, 1 + random.nextInt(bytes.length));
  }
}
