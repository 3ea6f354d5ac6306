package io.quorate.rabia.transport;

import static io.quorate.rabia.transport.TransportNode.GROUP;
import static io.quorate.rabia.transport.TransportNode.numbered;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.Member;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import io.quorate.rabia.protocol.Batch;
import io.quorate.rabia.protocol.Body;
import io.quorate.rabia.protocol.Message;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
  static void lookOften() {
    Awaitility.setDefaultPollInterval(2, TimeUnit.MILLISECONDS);
    Awaitility.setDefaultPollDelay(Duration.ZERO);
  }

  @BeforeEach
  void make() throws IOException {
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

  /** What is told or counted after the event that a test has waited for. */
  private static void eventually(ThrowingRunnable assertions) {
    await().atMost(PATIENCE).untilAsserted(assertions);
  }

  @Test
  void everybodyHearsEverybodyByName() throws IOException {
    startAll();
    n1.send(numbered(1), n2, n3);
    n2.send(numbered(2), n1, n3);
    n3.send(numbered(3), n2);
    nodes.forEach(node -> node.transport.flush());
    await().atMost(PATIENCE).until(() -> n1.heard.size() + n2.heard.size() + n3.heard.size() == 5);
    assertThat(n1.heard).containsExactly(new TransportNode.Heard(n2.id, numbered(2)));
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
  void whatLeavesTogetherKeepsItsOrder() throws IOException {
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
    await().atMost(PATIENCE).until(() -> n2.heard.size() == count && n3.heard.size() == count);
    assertThat(n2.numbersFrom(n1)).isEqualTo(all);
    assertThat(n3.numbersFrom(n1)).isEqualTo(all);
  }

  @Test
  void nothingLeavesBeforeItIsFlushed() throws IOException {
    startAll();
    n1.send(numbered(1), n2);
    assertThat(n1.telemetry.gauge("unsent.bytes")).isPositive();
    assertThat(n1.telemetry.count("sent.messages")).isZero();
    n1.transport.flush();
    await().atMost(PATIENCE).until(() -> n2.heard.size() == 1);
    eventually(() -> assertThat(n1.telemetry.gauge("unsent.bytes")).isZero());
  }

  @Test
  void aLongBatchArrivesWhole() throws IOException {
    startAll();
    byte[] command = new byte[7 << 20];
    command[command.length - 1] = 9;
    Body body = new Body.Commands(List.of(ByteBuffer.wrap(command)));
    Message content = new Message.Content(new Position(1, 5), Batch.of(n1.id, 1, 0, 17, body));
    n1.send(content, n2, n3);
    n1.transport.flush();
    await().atMost(PATIENCE).until(() -> n2.heard.size() == 1 && n3.heard.size() == 1);
    assertThat(n2.heard.get(0).message()).isEqualTo(content);
    assertThat(n3.heard.get(0).message()).isEqualTo(content);
  }

  @Test
  void whatFitsNoFrameIsDroppedAndTheRestGoesOn() throws IOException {
    try (TransportLog log = new TransportLog()) {
      startAll();
      Body body = new Body.Commands(List.of(ByteBuffer.allocate(9 << 20)));
      n1.send(new Message.Request(Batch.of(n1.id, 1, 0, 17, body)), n2);
      n1.send(numbered(2), n2);
      n1.transport.flush();
      await().atMost(PATIENCE).until(() -> n2.heard.size() == 1);
      assertThat(n1.telemetry.count("dropped.messages/too-long")).isEqualTo(1);
      assertThat(log.lines()).singleElement().asString().contains("rabia.frame-size-max");
    }
  }

  @Test
  void aPeerThatComesBackIsConnectedAnew() throws IOException {
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
    await().atMost(PATIENCE).until(() -> n2.heard.size() == 1 && n1.heard.size() == 1);
    assertThat(n2.numbersFrom(n1)).containsExactly(2L);
    assertThat(n1.numbersFrom(n2)).containsExactly(3L);
    eventually(() -> assertThat(n1.connections).containsExactlyInAnyOrder(n2.id, n3.id, n2.id));
  }

  @Test
  void whoHearsFromAPeerDoesNotWaitToTryAgain() throws IOException {
    n1.with("reconnect-min", "60s").with("reconnect-max", "60s");
    n2.start();
    n2.close();
    n1.start();
    n1.link(n2);
    n2.start();
    // If n1 has tried before, only a connection from n2 makes it try again within a minute.
    n2.link(n1);
    await().atMost(PATIENCE).until(() -> n1.isConnectedTo(n2) && n2.isConnectedTo(n1));
    eventually(() -> assertThat(n1.connections).containsExactly(n2.id));
  }

  @Test
  void aPeerIsKeptForAsLongAsAnybodyNeedsIt() throws IOException {
    startAll();
    n1.transport.link(n2.member());
    n1.transport.unlink(n2.id);
    assertThat(n1.isConnectedTo(n2)).isTrue();
    n1.transport.unlink(n2.id);
    await().atMost(PATIENCE).until(() -> n2.telemetry.gauge("accepted.connections") == 1);
    assertThat(n1.transport.connected()).containsExactly(n3.id);
    n1.transport.unlink(n2.id);
    n1.transport.link(n1.member());
    assertThat(n1.transport.connected()).as("itself").containsExactly(n3.id);
  }

  @Test
  void aPeerThatMovedIsFoundAtItsNewAddress() throws IOException {
    startAll();
    TransportNode moved = n2;
    moved.close();
    TransportNode again = new TransportNode("n2", root);
    nodes.add(again);
    again.start();
    assertThat(again.port()).isNotEqualTo(moved.port());
    n1.transport.link(again.member());
    await().atMost(PATIENCE).until(() -> n1.isConnectedTo(again));
    n1.send(numbered(1), again);
    n1.transport.flush();
    await().atMost(PATIENCE).until(() -> again.heard.size() == 1);
    assertThat(again.numbersFrom(n1)).containsExactly(1L);
  }

  @Test
  void aGroupThatJoinsLaterIsToldAndOneThatLeftHearsNothing() throws IOException {
    startAll();
    n1.transport.leave(GROUP);
    n2.send(numbered(1), n1);
    n2.transport.flush();
    await().atMost(PATIENCE).until(() -> n1.telemetry.count("dropped.messages/unknown-group") == 1);
    assertThat(n1.heard).isEmpty();
    TransportNode other = new TransportNode("observer", root);
    GroupId group = new GroupId(8);
    n1.transport.join(group, other.listener());
    await().atMost(PATIENCE).until(() -> other.connections.size() == 2);
    assertThat(other.connections).containsExactlyInAnyOrder(n2.id, n3.id);
    assertThatThrownBy(() -> n1.transport.join(group, other.listener()))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aPeerThatDoesNotReadCostsOnlyWhatIsAllowed() throws Exception {
    n1.with("frame-size-max", "64KiB").with("unsent-size-max", "4MiB").start();
    try (ServerSocket server = new ServerSocket(0)) {
      server.setReceiveBufferSize(4096);
      TransportNode deaf = new TransportNode("deaf", root);
      n1.transport.link(
          new Member(
              deaf.id,
              java.net.InetSocketAddress.createUnresolved("127.0.0.1", server.getLocalPort())));
      Socket socket = server.accept();
      try (RawPeer peer = RawPeer.accepted(socket)) {
        assertThat(peer.hearType()).isEqualTo(FrameType.HELLO);
        peer.say(new Handshake.Welcome(deaf.id, UUID.randomUUID()));
        await().atMost(PATIENCE).until(() -> n1.isConnectedTo(deaf));
        Body body = new Body.Commands(List.of(ByteBuffer.allocate(32 << 10)));
        Message message = new Message.Request(Batch.of(n1.id, 1, 0, 17, body));
        int sent = 0;
        while (n1.telemetry.count("dropped.messages/unsent-full") < 1000) {
          n1.send(message, deaf);
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
  void aPeerThatSaysNothingIsGivenUpAndOneThatIsOnlyQuietIsNot() throws IOException {
    for (TransportNode node : nodes) {
      node.with("idle-timeout", "2s");
    }
    startAll();
    try (RawPeer silent = RawPeer.dial(n1)) {
      silent.say(RawPeer.hello("silent", UUID.randomUUID(), n1));
      assertThat(silent.hearType()).isEqualTo(FrameType.WELCOME);
      assertThat(silent.hear()).as("closed in the end").isEmpty();
    }
    // An idle timeout has passed, in which the others had nothing to say either.
    assertThat(n1.connections).containsExactlyInAnyOrder(n2.id, n3.id);
    assertThat(n1.transport.connected()).containsExactlyInAnyOrder(n2.id, n3.id);
  }

  @Test
  void aPortInUseIsSaidInASentence() throws IOException {
    n1.start();
    TransportNode second = new TransportNode("second", root);
    assertThatThrownBy(
            () ->
                PeerTransport.start(
                    TransportSettings.from(EngineSettings.defaults("rabia")),
                    new InetSocketAddress("127.0.0.1", n1.port()),
                    PeerIdentities.open(second.directory, TransportNode.CLUSTER, second.id),
                    second.events(),
                    second.telemetry))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("cannot listen on 127.0.0.1:" + n1.port());
  }

  /** Often, because it was only sometimes so. */
  @RepeatedTest(20)
  void whoClosesLeavesNobodyWaiting() throws IOException {
    n1.with("idle-timeout", "60s").start();
    try (RawPeer first = RawPeer.dial(n1).say(RawPeer.hello("a", UUID.randomUUID(), n1));
        RawPeer second = RawPeer.dial(n1).say(RawPeer.hello("b", UUID.randomUUID(), n1))) {
      assertThat(first.hearType()).isEqualTo(FrameType.WELCOME);
      assertThat(second.hearType()).isEqualTo(FrameType.WELCOME);
      n1.close();
      assertThat(first.hear()).isEmpty();
      assertThat(second.hear()).isEmpty();
    }
  }

  @Test
  void nothingIsLeftAfterClosing() throws IOException {
    startAll();
    n1.send(numbered(1), n2);
    nodes.forEach(TransportNode::close);
    n1.send(numbered(2), n2);
    n1.transport.flush();
    assertThat(n1.transport.call(n2.id, GROUP, ByteBuffer.allocate(1))).isCompletedExceptionally();
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
