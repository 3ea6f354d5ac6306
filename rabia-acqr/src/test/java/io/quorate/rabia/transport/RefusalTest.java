package io.quorate.rabia.transport;

import static io.quorate.rabia.transport.TransportNode.GROUP;
import static io.quorate.rabia.transport.TransportNode.numbered;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.quorate.consensus.Member;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import io.quorate.rabia.codec.MessageCodec;
import io.quorate.rabia.protocol.Batch;
import io.quorate.rabia.protocol.Body;
import io.quorate.rabia.protocol.Decided;
import io.quorate.rabia.protocol.Message;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Peers that are not what they should be. The node tells of them once and goes on. */
class RefusalTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final UUID DISK = new UUID(3, 4);

  @TempDir Path root;

  private final List<TransportNode> nodes = new ArrayList<>();
  private final TransportLog log = new TransportLog();
  private TransportNode n1;
  private TransportNode n2;

  @BeforeEach
  void make() throws IOException {
    n1 = node("n1");
    n2 = node("n2");
  }

  private TransportNode node(String id) throws IOException {
    TransportNode node = new TransportNode(id, root);
    nodes.add(node);
    return node;
  }

  /** Whatever happened: messages between good nodes arrive. */
  @AfterEach
  void theNodeGoesOn() throws IOException {
    try {
      TransportNode good = node("good").start();
      good.link(n1);
      n1.link(good);
      await().atMost(PATIENCE).until(() -> good.isConnectedTo(n1) && n1.isConnectedTo(good));
      int heard = n1.heard.size();
      good.send(numbered(99), n1);
      good.transport.flush();
      await().atMost(PATIENCE).until(() -> n1.heard.size() > heard);
      assertThat(n1.numbersFrom(good)).containsExactly(99L);
    } finally {
      nodes.forEach(TransportNode::close);
      log.close();
    }
  }

  @Test
  void aNodeOfAnotherClusterIsRefusedAndToldOfOnce() throws IOException {
    n1.start();
    n2.cluster = UUID.randomUUID();
    n2.start();
    n2.link(n1);
    await().atMost(PATIENCE).until(() -> n2.refusals.size() >= 3);
    assertThat(n2.refusals).containsOnly(RefusalReason.CLUSTER);
    assertThat(n2.transport.connected()).isEmpty();
    assertThat(n1.identities.diskOf(n2.id)).isEmpty();
    assertThat(log.lines())
        .as("one line on each side, however often it tries")
        .hasSize(2)
        .allMatch(line -> line.contains(n2.cluster.toString()))
        .anyMatch(line -> line.startsWith("Refused a node peer="))
        .anyMatch(line -> line.startsWith("A node refuses this one peer=n1"));
    assertThat(n1.telemetry.count("refused.connections/cluster")).isGreaterThanOrEqualTo(3);
  }

  @Test
  void anotherVersionIsRefusedWithBothNumbers() throws IOException {
    n1.start();
    ByteBuf hello = RawPeer.hello("n2", DISK, n1).frame(UnpooledByteBufAllocator.DEFAULT);
    hello.setByte(Integer.BYTES + 1 + Integer.BYTES, 9);
    try (RawPeer peer = RawPeer.dial(n1).say(hello)) {
      Handshake.Refused refused = peer.hearRefusal();
      assertThat(refused.reason()).isEqualTo(RefusalReason.VERSION);
      assertThat(refused.detail()).contains("version 2").contains("version 9");
      assertThat(peer.hear()).isEmpty();
    }
    assertThat(log.lines()).singleElement().asString().contains("version 9");
  }

  @Test
  void whoMeansAnotherNodeIsRefused() throws IOException {
    n1.start();
    n2.start();
    // n1's address is written down as that of n3.
    n2.transport.link(new Member(new NodeId("n3"), n1.member().address()));
    await().atMost(PATIENCE).until(() -> !n2.refusals.isEmpty());
    assertThat(n2.refusals).containsOnly(RefusalReason.NODE);
    assertThat(n2.transport.connected()).isEmpty();
    assertThat(log.lines()).anyMatch(line -> line.contains("This is node n1, not node n3."));
  }

  @Test
  void whoeverAnswersUnderAnotherNameIsRefused() throws IOException {
    n1.start();
    try (ServerSocket server = new ServerSocket(0)) {
      n1.transport.link(
          new Member(
              n2.id, InetSocketAddress.createUnresolved("127.0.0.1", server.getLocalPort())));
      try (RawPeer peer = RawPeer.accepted(server.accept())) {
        assertThat(peer.hearType()).isEqualTo(FrameType.HELLO);
        peer.say(new Handshake.Welcome(new NodeId("n3"), DISK));
        assertThat(peer.hearRefusal().reason()).isEqualTo(RefusalReason.NODE);
      }
    }
    assertThat(n1.transport.connected()).isEmpty();
    assertThat(n1.identities.diskOf(n2.id)).isEmpty();
    assertThat(n1.acceptances).isEmpty();
  }

  @Test
  void anotherNodeOfOnesOwnNameIsRefused() throws IOException {
    n1.start();
    try (RawPeer peer = RawPeer.dial(n1).say(RawPeer.hello("n1", DISK, n1))) {
      assertThat(peer.hearRefusal().reason()).isEqualTo(RefusalReason.NODE);
    }
  }

  @Test
  void anotherProtocolIsRefused() throws IOException {
    n1.start();
    try (RawPeer peer =
        RawPeer.dial(n1).say(Unpooled.wrappedBuffer("GET / HTTP/1.1\r\n\r\n".getBytes()))) {
      assertThat(peer.hearRefusal().reason()).isEqualTo(RefusalReason.FRAME);
      assertThat(peer.hear()).isEmpty();
    }
    try (RawPeer peer = RawPeer.dial(n1).say(0, 0, 0, 7, 1, 1, 2, 3, 4, 5, 6)) {
      assertThat(peer.hearRefusal().reason()).isEqualTo(RefusalReason.VERSION);
    }
  }

  @Test
  void nothingIsHeardOfWhoHasNotGreeted() throws IOException {
    n1.start();
    try (RawPeer peer = RawPeer.dial(n1).say(message())) {
      assertThat(peer.hearRefusal().reason()).isEqualTo(RefusalReason.MALFORMED);
    }
    assertThat(n1.heard).isEmpty();
  }

  @Test
  void whoDoesNotGreetAtAllIsClosed() throws IOException {
    n1.with("handshake-timeout", "300ms").start();
    try (RawPeer peer = RawPeer.dial(n1)) {
      assertThat(peer.hear()).isEmpty();
    }
  }

  @Test
  void aFrameBeyondItsBoundClosesItsConnectionAndNoOther() throws IOException {
    n1.start();
    try (RawPeer other = greeted("n3");
        RawPeer peer = greeted("n2")) {
      peer.say(0x7f, 0, 0, 0, FrameType.MESSAGE.code());
      Handshake.Refused refused = peer.hearRefusal();
      assertThat(refused.reason()).isEqualTo(RefusalReason.FRAME);
      assertThat(refused.detail()).contains("rabia.frame-size-max");
      assertThat(peer.hear()).isEmpty();
      other.say(message());
      await().atMost(PATIENCE).until(() -> n1.heard.size() == 1);
    }
    assertThat(log.lines()).singleElement().asString().contains("peer=n2").contains("FRAME");
  }

  @Test
  void aFrameOfNoLengthIsRefused() throws IOException {
    n1.start();
    try (RawPeer peer = greeted("n2").say(0, 0, 0, 0)) {
      assertThat(peer.hearRefusal().reason()).isEqualTo(RefusalReason.FRAME);
    }
  }

  @Test
  void whatCannotBeReadClosesItsConnectionAndNoOther() throws IOException {
    n1.start();
    int type = FrameType.MESSAGE.code();
    int[][] frames = {
      {0, 0, 0, 1, 0},
      {0, 0, 0, 1, 99},
      {0, 0, 0, 3, type, 0, 0},
      {0, 0, 0, 6, type, 0xff, 0, 0, 7, 15},
      {0, 0, 0, 6, type, 0, 0, 0, 7, 99},
      {0, 0, 0, 5, type, 0, 0, 0, 7},
      {0, 0, 0, 2, FrameType.REQUEST.code(), 0},
      {0, 0, 0, 2, FrameType.ANSWER.code(), 0},
      {0, 0, 0, 2, FrameType.HELLO.code(), 0},
    };
    try (RawPeer other = greeted("n3")) {
      for (int[] frame : frames) {
        try (RawPeer peer = greeted("n2").say(frame)) {
          assertThat(peer.hearRefusal().reason()).isEqualTo(RefusalReason.MALFORMED);
          assertThat(peer.hear()).isEmpty();
        }
      }
      other.say(message());
      await().atMost(PATIENCE).until(() -> n1.heard.size() == 1);
    }
    assertThat(log.lines()).singleElement().asString().contains("peer=n2").contains("MALFORMED");
  }

  /** Votes are on ids: a body under another's name would be executed in its place. */
  @Test
  void aBodyUnderAnotherNameIsRefused() throws IOException {
    n1.start();
    Body asked = new Body.Commands(List.of(ByteBuffer.wrap(new byte[] {1})));
    Body other = new Body.Commands(List.of(ByteBuffer.wrap(new byte[] {2})));
    Batch named = Batch.of(n2.id, 1, 1, 1, asked);
    Position at = new Position(1, 1);
    List<Function<Batch, Message>> kinds =
        List.of(
            batch -> new Message.Content(at, batch),
            batch -> new Message.Request(batch),
            batch -> new Message.FetchedBody(at, batch),
            batch ->
                new Message.Decisions(1, List.of(new Decided(batch.id(), Optional.of(batch)))));
    for (Function<Batch, Message> kind : kinds) {
      try (RawPeer peer = greeted("n2").say(frame(kind.apply(new Batch(named.id(), 1, other))))) {
        assertThat(peer.hearRefusal().reason()).isEqualTo(RefusalReason.MALFORMED);
      }
    }
    assertThat(n1.heard).isEmpty();
    try (RawPeer peer = greeted("n2").say(frame(kinds.get(0).apply(named)))) {
      await().atMost(PATIENCE).until(() -> n1.heard.size() == 1);
      assertThat(peer).isNotNull();
    }
  }

  @Test
  void aPeerHasOneConnectionForEachPurpose() throws IOException {
    n1.start();
    try (RawPeer earlier = greeted("n2");
        RawPeer later = greeted("n2")) {
      assertThat(earlier.hear()).as("taken for dead").isEmpty();
      later.say(message());
      await().atMost(PATIENCE).until(() -> n1.heard.size() == 1);
      await().atMost(PATIENCE).until(() -> n1.telemetry.gauge("accepted.connections") == 1);
    }
  }

  @Test
  void noMoreConnectionsAreTakenThanAllowed() throws IOException {
    n1.with("connections-max", "2").start();
    try (RawPeer first = greeted("n2");
        RawPeer second = greeted("n3")) {
      try (RawPeer third = RawPeer.dial(n1)) {
        assertThat(third.hearRefusal().reason()).isEqualTo(RefusalReason.BUSY);
      }
      first.say(message());
      second.say(message());
      await().atMost(PATIENCE).until(() -> n1.heard.size() == 2);
    }
    await().atMost(PATIENCE).until(() -> n1.telemetry.gauge("accepted.connections") == 0);
  }

  @Test
  void noMoreStrangersAreRememberedThanAllowed() throws IOException {
    n1.with("peers-max", "2").start();
    try (RawPeer first = greeted("n2");
        RawPeer second = RawPeer.dial(n1).say(RawPeer.hello("good", UUID.randomUUID(), n1))) {
      // "good" is started later, with a disk of its own.
      assertThat(second.hearType()).isEqualTo(FrameType.WELCOME);
      try (RawPeer third = RawPeer.dial(n1).say(RawPeer.hello("n4", DISK, n1))) {
        assertThat(third.hearRefusal().detail()).contains("rabia.peers-max");
      }
      first.say(message());
      await().atMost(PATIENCE).until(() -> n1.heard.size() == 1);
    }
    n1.close();
    n1 = node("n5").start();
  }

  private RawPeer greeted(String name) throws IOException {
    RawPeer peer = RawPeer.dial(n1).say(RawPeer.hello(name, DISK, n1));
    assertThat(peer.hearType()).isEqualTo(FrameType.WELCOME);
    return peer;
  }

  private static ByteBuf message() {
    return frame(numbered(5));
  }

  private static ByteBuf frame(Message message) {
    ByteBuf frame = PeerFrames.begin(UnpooledByteBufAllocator.DEFAULT, FrameType.MESSAGE, 64);
    MessageCodec.write(message, frame.writeInt(GROUP.value()));
    return PeerFrames.end(frame);
  }
}
