package io.quorate.replication.transport;

import static io.quorate.replication.transport.TransportNode.GROUP;
import static io.quorate.replication.transport.TransportNode.numbered;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.KnownNodes;
import io.quorate.consensus.Member;
import io.quorate.consensus.NodeDisks;
import io.quorate.consensus.Starts;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.replication.transport.handshake.FrameType;
import io.quorate.replication.transport.handshake.Handshake;
import io.quorate.replication.transport.handshake.PeerIdentities;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes that exchange messages over real sockets. */
class PeerTransportTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  @TempDir Path root;

  private final List<TransportNode> nodes = new ArrayList<>();
  private TransportNode n1;
  private TransportNode n2;
  private TransportNode n3;

  @BeforeAll
  static void pollOften() {
    Awaitility.setDefaultPollInterval(2, TimeUnit.MILLISECONDS);
    Awaitility.setDefaultPollDelay(Duration.ZERO);
  }

  @BeforeEach
  void createNodes() throws IOException {
    n1 = node("n1");
    n2 = node("n2");
    n3 = node("n3");
  }

  @AfterEach
  void closeAll() {
    nodes.forEach(TransportNode::close);
  }

  private TransportNode node(String id) throws IOException {
    TransportNode node = new TransportNode(id, root);
    nodes.add(node);
    return node;
  }

  private void startAll() throws IOException {
    n1.start();
    n2.start();
    n3.start();
    n1.link(n2, n3);
    n2.link(n1, n3);
    n3.link(n1, n2);
    for (TransportNode node : List.of(n1, n2, n3)) {
      await().atMost(PATIENCE).until(() -> node.transport.connected().size() == 2);
    }
  }

  /** Awaits effects that may follow the event for which the test has waited. */
  private static void eventually(ThrowingRunnable assertions) {
    await().atMost(PATIENCE).untilAsserted(assertions);
  }

  @Test
  void messagesArriveUnderTheIdOfTheirSender() throws IOException {
    startAll();
    n1.send(numbered(1), n2, n3);
    n2.send(numbered(2), n1, n3);
    n3.send(numbered(3), n2);
    nodes.forEach(node -> node.transport.flush());
    await()
        .atMost(PATIENCE)
        .until(() -> n1.received.size() + n2.received.size() + n3.received.size() == 5);
    assertThat(n1.received).containsExactly(new TransportNode.Received(n2.id, numbered(2)));
    assertThat(n2.numbersFrom(n1)).containsExactly(1L);
    assertThat(n2.numbersFrom(n3)).containsExactly(3L);
    assertThat(n3.numbersFrom(n1)).containsExactly(1L);
    assertThat(n3.numbersFrom(n2)).containsExactly(2L);
    eventually(
        () -> {
          assertThat(n1.connections).containsExactlyInAnyOrder(n2.id, n3.id);
          assertThat(n1.telemetry.count("sent.messages")).isEqualTo(2);
          assertThat(n2.telemetry.count("received.messages")).isEqualTo(2);
          assertThat(n1.telemetry.count("sent.bytes")).isPositive();
          assertThat(n1.telemetry.gauge("connected.peers")).isEqualTo(2);
          assertThat(n1.telemetry.gauge("accepted.connections")).isEqualTo(2);
        });
  }

  @Test
  void messagesOfOneSenderArriveInOrder() throws IOException {
    startAll();
    int count = 20_000;
    for (int i = 0; i < count; i++) {
      n1.send(numbered(i), n2, n3);
      if (i % 97 == 0) {
        n1.transport.flush();
      }
    }
    n1.transport.flush();
    List<Long> all = LongStream.range(0, count).boxed().toList();
    await()
        .atMost(PATIENCE)
        .until(() -> n2.received.size() == count && n3.received.size() == count);
    assertThat(n2.numbersFrom(n1)).isEqualTo(all);
    assertThat(n3.numbersFrom(n1)).isEqualTo(all);
  }

  @Test
  void noMessageIsSentBeforeAFlush() throws IOException {
    startAll();
    n1.send(numbered(1), n2);
    assertThat(n1.telemetry.gauge("unsent.bytes")).isPositive();
    assertThat(n1.telemetry.count("sent.messages")).isZero();
    n1.transport.flush();
    await().atMost(PATIENCE).until(() -> n2.received.size() == 1);
    eventually(() -> assertThat(n1.telemetry.gauge("unsent.bytes")).isZero());
  }

  @Test
  void aLongMessageArrivesWhole() throws IOException {
    startAll();
    byte[] body = new byte[7 << 20];
    body[body.length - 1] = 9;
    TestMessage message = new TestMessage(5, ByteBuffer.wrap(body));
    n1.send(message, n2, n3);
    n1.transport.flush();
    await().atMost(PATIENCE).until(() -> n2.received.size() == 1 && n3.received.size() == 1);
    assertThat(n2.received.get(0).message()).isEqualTo(message);
    assertThat(n3.received.get(0).message()).isEqualTo(message);
  }

  @Test
  void aMessageLongerThanAFrameIsDroppedAndLaterOnesArrive() throws IOException {
    try (TransportLog log = new TransportLog()) {
      startAll();
      n1.send(new TestMessage(1, ByteBuffer.allocate(9 << 20)), n2);
      n1.send(numbered(2), n2);
      n1.transport.flush();
      await().atMost(PATIENCE).until(() -> n2.received.size() == 1);
      assertThat(n1.telemetry.count("dropped.messages/too-long")).isEqualTo(1);
      assertThat(log.lines()).singleElement().asString().contains("rabia.frame-size-max");
    }
  }

  @Test
  void aRestartedPeerIsReconnected() throws IOException {
    startAll();
    n2.close();
    await().atMost(PATIENCE).until(() -> !n1.isConnectedTo(n2));
    n1.send(numbered(1), n2, n3);
    n1.transport.flush();
    assertThat(n1.telemetry.count("dropped.messages/not-connected")).isEqualTo(1);
    n2.start();
    await().atMost(PATIENCE).until(() -> n1.isConnectedTo(n2) && n2.isConnectedTo(n1));
    n1.send(numbered(2), n2);
    n2.send(numbered(3), n1);
    n1.transport.flush();
    n2.transport.flush();
    await().atMost(PATIENCE).until(() -> n2.received.size() == 1 && n1.received.size() == 1);
    assertThat(n2.numbersFrom(n1)).containsExactly(2L);
    assertThat(n1.numbersFrom(n2)).containsExactly(3L);
    eventually(() -> assertThat(n1.connections).containsExactlyInAnyOrder(n2.id, n3.id, n2.id));
  }

  @Test
  void anIncomingConnectionEndsTheBackoff() throws IOException {
    n1.with("reconnect-min", "60s").with("reconnect-max", "60s");
    n2.start();
    n2.close();
    n1.start();
    n1.link(n2);
    n2.start();
    // If n1 has failed to connect, only a connection from n2 makes it retry within a minute.
    n2.link(n1);
    await().atMost(PATIENCE).until(() -> n1.isConnectedTo(n2) && n2.isConnectedTo(n1));
    eventually(() -> assertThat(n1.connections).containsExactly(n2.id));
  }

  @Test
  void aConnectionIsKeptUntilTheLastUnlink() throws IOException {
    startAll();
    n1.transport.link(n2.member());
    n1.transport.unlink(n2.id);
    assertThat(n1.isConnectedTo(n2)).isTrue();
    n1.transport.unlink(n2.id);
    await().atMost(PATIENCE).until(() -> n2.telemetry.gauge("accepted.connections") == 1);
    assertThat(n1.transport.connected()).containsExactly(n3.id);
    n1.transport.unlink(n2.id);
    n1.transport.link(n1.member());
    assertThat(n1.transport.connected()).as("not to itself").containsExactly(n3.id);
  }

  @Test
  void aPeerThatMovedIsFoundAtItsNewAddress() throws IOException {
    startAll();
    TransportNode former = n2;
    former.close();
    TransportNode moved = new TransportNode("n2", root);
    nodes.add(moved);
    moved.start();
    assertThat(moved.port()).isNotEqualTo(former.port());
    n1.transport.link(moved.member());
    await().atMost(PATIENCE).until(() -> n1.isConnectedTo(moved));
    n1.send(numbered(1), moved);
    n1.transport.flush();
    await().atMost(PATIENCE).until(() -> moved.received.size() == 1);
    assertThat(moved.numbersFrom(n1)).containsExactly(1L);
  }

  @Test
  void aGroupThatJoinsLaterIsNotifiedAndOneThatLeftReceivesNothing() throws IOException {
    startAll();
    n1.transport.leave(GROUP);
    n2.send(numbered(1), n1);
    n2.transport.flush();
    await().atMost(PATIENCE).until(() -> n1.telemetry.count("dropped.messages/unknown-group") == 1);
    assertThat(n1.received).isEmpty();
    TransportNode other = new TransportNode("observer", root);
    GroupId group = new GroupId(8);
    n1.transport.join(group, other.listener());
    await().atMost(PATIENCE).until(() -> other.connections.size() == 2);
    assertThat(other.connections).containsExactlyInAnyOrder(n2.id, n3.id);
    assertThatThrownBy(() -> n1.transport.join(group, other.listener()))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void unsentMessagesToAPeerThatDoesNotReadAreBounded() throws Exception {
    n1.with("frame-size-max", "64KiB").with("unsent-size-max", "4MiB").start();
    try (ServerSocket server = new ServerSocket(0)) {
      server.setReceiveBufferSize(4096);
      TransportNode stalled = new TransportNode("stalled", root);
      n1.transport.link(
          new Member(
              stalled.id,
              java.net.InetSocketAddress.createUnresolved("127.0.0.1", server.getLocalPort())));
      Socket socket = server.accept();
      try (RawPeer peer = RawPeer.accepted(socket)) {
        assertThat(peer.receiveType()).isEqualTo(FrameType.HELLO);
        peer.send(
            new Handshake.Welcome(Optional.empty(), stalled.id, UUID.randomUUID(), Starts.NONE));
        await().atMost(PATIENCE).until(() -> n1.isConnectedTo(stalled));
        TestMessage message = new TestMessage(1, ByteBuffer.allocate(32 << 10));
        int sent = 0;
        while (n1.telemetry.count("dropped.messages/unsent-full") < 1000) {
          n1.send(message, stalled);
          n1.transport.flush();
          sent++;
          assertThat(n1.telemetry.gauge("unsent.bytes")).isLessThanOrEqualTo(4 << 20);
        }
        assertThat(sent).isGreaterThan(1000);
      }
      await().atMost(PATIENCE).until(() -> n1.telemetry.gauge("unsent.bytes") == 0);
    }
  }

  @Test
  void aPeerWithoutKeepAlivesIsDisconnectedAndAnIdleOneIsNot() throws IOException {
    for (TransportNode node : nodes) {
      node.with("idle-timeout", "2s");
    }
    startAll();
    try (RawPeer silent = RawPeer.dial(n1)) {
      silent.send(RawPeer.hello("silent", UUID.randomUUID(), n1));
      assertThat(silent.receiveType()).isEqualTo(FrameType.WELCOME);
      assertThat(silent.receive()).as("closed after the idle timeout").isEmpty();
    }
    // The idle timeout has passed, and the other nodes sent only keep-alives meanwhile.
    assertThat(n1.connections).containsExactlyInAnyOrder(n2.id, n3.id);
    assertThat(n1.transport.connected()).containsExactlyInAnyOrder(n2.id, n3.id);
  }

  @Test
  void aPortInUseIsReported() throws IOException {
    n1.start();
    TransportNode second = new TransportNode("second", root);
    assertThatThrownBy(
            () ->
                PeerTransport.start(
                    TransportSettings.from(EngineSettings.defaults("rabia")),
                    new InetSocketAddress("127.0.0.1", n1.port()),
                    new KnownNodes(node -> List.of(), NodeDisks.unregistered()),
                    PeerIdentities.open(
                        second.directory,
                        "rabia",
                        NodeDisks.unregistered(),
                        TransportNode.CLUSTER,
                        second.id),
                    second.events(),
                    second.telemetry))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("cannot listen on 127.0.0.1:" + n1.port());
  }

  /** Repeated, because the failure was intermittent. */
  @RepeatedTest(20)
  void closingEndsIncomingConnections() throws IOException {
    n1.with("idle-timeout", "60s").start();
    try (RawPeer first = RawPeer.dial(n1).send(RawPeer.hello("a", UUID.randomUUID(), n1));
        RawPeer second = RawPeer.dial(n1).send(RawPeer.hello("b", UUID.randomUUID(), n1))) {
      assertThat(first.receiveType()).isEqualTo(FrameType.WELCOME);
      assertThat(second.receiveType()).isEqualTo(FrameType.WELCOME);
      n1.close();
      assertThat(first.receive()).isEmpty();
      assertThat(second.receive()).isEmpty();
    }
  }

  @Test
  void aClosedTransportFailsCallsAndLeavesNoThreads() throws IOException {
    startAll();
    n1.send(numbered(1), n2);
    nodes.forEach(TransportNode::close);
    n1.send(numbered(2), n2);
    n1.transport.flush();
    assertThat(
            n1.transport.call(
                n2.id,
                GROUP,
                TrafficClass.BULK,
                List.of(ByteBuffer.allocate(1)),
                new RequestTimeout(PATIENCE, "test.request-timeout")))
        .isCompletedExceptionally();
    assertThatThrownBy(() -> n1.transport.link(n2.member()))
        .isInstanceOf(IllegalStateException.class);
    n1.transport.unlink(new NodeId("n2"));
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(Thread.getAllStackTraces().keySet())
                    .extracting(Thread::getName)
                    .noneMatch(name -> name.startsWith("quorate-rabia-")));
  }
}
