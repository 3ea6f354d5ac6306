package io.quorate.replication.transport;

import static io.quorate.replication.transport.TransportNode.GROUP;
import static io.quorate.replication.transport.TransportNode.numbered;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Refusals of invalid peers and frames: the node logs them once and keeps its other peers. */
class RefusalTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final UUID DISK = new UUID(3, 4);

  @TempDir Path root;

  private final List<TransportNode> nodes = new ArrayList<>();
  private final TransportLog log = new TransportLog();
  private TransportNode n1;
  private TransportNode n2;

  @BeforeEach
  void createNodes() throws IOException {
    n1 = node("n1");
    n2 = node("n2");
  }

  private TransportNode node(String id) throws IOException {
    TransportNode node = new TransportNode(id, root);
    nodes.add(node);
    return node;
  }

  /** After every test, messages between valid nodes arrive. */
  @AfterEach
  void messagesOfValidNodesStillArrive() throws IOException {
    try {
      TransportNode good = node("good").start();
      good.link(n1);
      n1.link(good);
      await().atMost(PATIENCE).until(() -> good.isConnectedTo(n1) && n1.isConnectedTo(good));
      int before = n1.received.size();
      good.send(numbered(99), n1);
      good.transport.flush();
      await().atMost(PATIENCE).until(() -> n1.received.size() > before);
      assertThat(n1.numbersFrom(good)).containsExactly(99L);
    } finally {
      nodes.forEach(TransportNode::close);
      log.close();
    }
  }

  @Test
  void aNodeOfAnotherClusterIsRefusedAndLoggedOnce() throws IOException {
    n1.start();
    n2.cluster = UUID.randomUUID();
    n2.start();
    n2.link(n1);
    await().atMost(PATIENCE).until(() -> n2.refusals.size() >= 3);
    assertThat(n2.refusals).containsOnly(RefusalReason.CLUSTER);
    assertThat(n2.transport.connected()).isEmpty();
    assertThat(n1.identities.diskOf(n2.id)).isEmpty();
    assertThat(log.lines())
        .as("one line on each side for all attempts")
        .hasSize(2)
        .allMatch(line -> line.contains(n2.cluster.toString()))
        .anyMatch(line -> line.startsWith("Refused a node peer="))
        .anyMatch(line -> line.startsWith("A node refuses this one peer=n1"));
    assertThat(n1.telemetry.count("refused.connections/cluster")).isGreaterThanOrEqualTo(3);
  }

  @Test
  void anotherVersionIsRefusedWithBothNumbers() throws IOException {
    n1.start();
    ByteBuf hello = RawPeer.hello("n2", DISK, n1).greeting(UnpooledByteBufAllocator.DEFAULT);
    hello.setByte(Integer.BYTES + 1 + Integer.BYTES, 9);
    try (RawPeer peer = RawPeer.dial(n1).send(hello)) {
      Handshake.Refused refused = peer.receiveRefusal();
      assertThat(refused.reason()).isEqualTo(RefusalReason.VERSION);
      assertThat(refused.detail()).contains("version " + Handshake.VERSION).contains("version 9");
      assertThat(peer.receive()).isEmpty();
    }
    assertThat(log.lines()).singleElement().asString().contains("version 9");
  }

  @Test
  void aHelloToAnotherNodeIsRefused() throws IOException {
    n1.start();
    n2.start();
    // n3 is linked under the address of n1.
    n2.transport.link(new Member(new NodeId("n3"), n1.member().address()));
    await().atMost(PATIENCE).until(() -> !n2.refusals.isEmpty());
    assertThat(n2.refusals).containsOnly(RefusalReason.NODE);
    assertThat(n2.transport.connected()).isEmpty();
    assertThat(log.lines()).anyMatch(line -> line.contains("This is node n1, not node n3."));
  }

  @Test
  void aWelcomeOfAnotherNodeIsRefused() throws IOException {
    n1.start();
    try (ServerSocket server = new ServerSocket(0)) {
      n1.transport.link(
          new Member(
              n2.id, InetSocketAddress.createUnresolved("127.0.0.1", server.getLocalPort())));
      try (RawPeer peer = RawPeer.accepted(server.accept())) {
        assertThat(peer.receiveType()).isEqualTo(FrameType.HELLO);
        peer.send(new Handshake.Welcome(Optional.empty(), new NodeId("n3"), DISK, Starts.NONE));
        assertThat(peer.receiveRefusal().reason()).isEqualTo(RefusalReason.NODE);
      }
    }
    assertThat(n1.transport.connected()).isEmpty();
    assertThat(n1.identities.diskOf(n2.id)).isEmpty();
    assertThat(n1.acceptances).isEmpty();
  }

  @Test
  void aHelloUnderTheIdOfTheReceiverIsRefused() throws IOException {
    n1.start();
    try (RawPeer peer = RawPeer.dial(n1).send(RawPeer.hello("n1", DISK, n1))) {
      assertThat(peer.receiveRefusal().reason()).isEqualTo(RefusalReason.NODE);
    }
  }

  @Test
  void anotherProtocolIsRefused() throws IOException {
    n1.start();
    try (RawPeer peer =
        RawPeer.dial(n1).send(Unpooled.wrappedBuffer("GET / HTTP/1.1\r\n\r\n".getBytes()))) {
      assertThat(peer.receiveRefusal().reason()).isEqualTo(RefusalReason.FRAME);
      assertThat(peer.receive()).isEmpty();
    }
    try (RawPeer peer = RawPeer.dial(n1).send(0, 0, 0, 7, 1, 1, 2, 3, 4, 5, 6)) {
      assertThat(peer.receiveRefusal().reason()).isEqualTo(RefusalReason.VERSION);
    }
  }

  @Test
  void aMessageBeforeTheHandshakeIsRefused() throws IOException {
    n1.start();
    ByteBuf first =
        PeerFrames.beginGreeting(UnpooledByteBufAllocator.DEFAULT, FrameType.MESSAGE)
            .writeInt(GROUP.value());
    try (RawPeer peer = RawPeer.dial(n1).send(PeerFrames.endGreeting(first))) {
      assertThat(peer.receiveRefusal().reason()).isEqualTo(RefusalReason.MALFORMED);
    }
    assertThat(n1.received).isEmpty();
  }

  @Test
  void aConnectionWithoutAHelloIsClosed() throws IOException {
    n1.with("handshake-timeout", "300ms").start();
    try (RawPeer peer = RawPeer.dial(n1)) {
      assertThat(peer.receive()).isEmpty();
    }
  }

  @Test
  void aFrameBeyondItsBoundClosesOnlyItsConnection() throws IOException {
    n1.start();
    try (RawPeer other = connect("n3");
        RawPeer peer = connect("n2")) {
      peer.sendHeader(0x7f000000, FrameType.MESSAGE);
      Handshake.Refused refused = peer.receiveRefusal();
      assertThat(refused.reason()).isEqualTo(RefusalReason.FRAME);
      assertThat(refused.detail()).contains("rabia.frame-size-max");
      assertThat(peer.receive()).isEmpty();
      other.send(message());
      await().atMost(PATIENCE).until(() -> n1.received.size() == 1);
    }
    assertThat(log.lines()).singleElement().asString().contains("peer=n2").contains("FRAME");
  }

  @Test
  void anEmptyFrameIsRefused() throws IOException {
    n1.start();
    try (RawPeer peer = connect("n2").sendHeader(0, FrameType.MESSAGE)) {
      assertThat(peer.receiveRefusal().reason()).isEqualTo(RefusalReason.FRAME);
    }
  }

  @Test
  void aMalformedFrameClosesOnlyItsConnection() throws IOException {
    n1.start();
    int type = FrameType.MESSAGE.code();
    int[][] frames = {
      {0},
      {99},
      {type, 0, 0},
      {type, 0xff, 0, 0, 7, 15},
      {type, 0, 0, 0, 7, 99},
      {type, 0, 0, 0, 7},
      {FrameType.REQUEST.code(), 0},
      {FrameType.RESPONSE.code(), 0},
      {FrameType.HELLO.code(), 0},
    };
    try (RawPeer other = connect("n3")) {
      for (int[] frame : frames) {
        try (RawPeer peer = connect("n2").sendFrame(frame)) {
          assertThat(peer.receiveRefusal().reason()).isEqualTo(RefusalReason.MALFORMED);
          assertThat(peer.receive()).isEmpty();
        }
      }
      other.send(message());
      await().atMost(PATIENCE).until(() -> n1.received.size() == 1);
    }
    assertThat(log.lines()).singleElement().asString().contains("peer=n2").contains("MALFORMED");
  }

  @Test
  void aPeerHasOneConnectionForEachPurpose() throws IOException {
    n1.start();
    try (RawPeer earlier = connect("n2");
        RawPeer later = connect("n2")) {
      assertThat(earlier.receive()).as("replaced by the later connection").isEmpty();
      later.send(message());
      await().atMost(PATIENCE).until(() -> n1.received.size() == 1);
      await().atMost(PATIENCE).until(() -> n1.telemetry.gauge("accepted.connections") == 1);
    }
  }

  @Test
  void connectionsBeyondTheMaximumAreRefused() throws IOException {
    n1.with("connections-max", "2").start();
    try (RawPeer first = connect("n2");
        RawPeer second = connect("n3")) {
      try (RawPeer third = RawPeer.dial(n1)) {
        assertThat(third.receiveRefusal().reason()).isEqualTo(RefusalReason.BUSY);
      }
      first.send(message());
      second.send(message());
      await().atMost(PATIENCE).until(() -> n1.received.size() == 2);
    }
    await().atMost(PATIENCE).until(() -> n1.telemetry.gauge("accepted.connections") == 0);
  }

  @Test
  void unknownPeersBeyondTheMaximumAreRefused() throws IOException {
    n1.with("peers-max", "2").start();
    try (RawPeer first = connect("n2");
        RawPeer second = RawPeer.dial(n1).send(RawPeer.hello("good", UUID.randomUUID(), n1))) {
      // The node "good" that is started later has another disk.
      assertThat(second.receiveType()).isEqualTo(FrameType.WELCOME);
      try (RawPeer third = RawPeer.dial(n1).send(RawPeer.hello("n4", DISK, n1))) {
        assertThat(third.receiveRefusal().detail()).contains("rabia.peers-max");
      }
      first.send(message());
      await().atMost(PATIENCE).until(() -> n1.received.size() == 1);
    }
    n1.close();
    n1 = node("n5").start();
  }

  private RawPeer connect(String name) throws IOException {
    RawPeer peer = RawPeer.dial(n1).send(RawPeer.hello(name, DISK, n1));
    assertThat(peer.receiveType()).isEqualTo(FrameType.WELCOME);
    return peer;
  }

  private static ByteBuf message() {
    ByteBuf frame = PeerFrames.begin(UnpooledByteBufAllocator.DEFAULT, FrameType.MESSAGE, 64);
    numbered(5).write(frame.writeInt(GROUP.value()));
    return PeerFrames.end(frame);
  }
}
