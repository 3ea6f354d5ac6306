package io.quorate.replication.transport;

import static io.quorate.replication.transport.TransportNode.numbered;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.consensus.Member;
import io.quorate.consensus.NodeDisks;
import io.quorate.consensus.Starts;
import io.quorate.model.NodeId;
import io.quorate.replication.transport.handshake.FrameType;
import io.quorate.replication.transport.handshake.Handshake;
import io.quorate.replication.transport.handshake.PeerIdentities;
import io.quorate.replication.transport.handshake.RefusalReason;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** P1 and S3 on the wire: a node has one disk, recorded durably before any message to it. */
class DiskIdentityTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final UUID DISK = new UUID(3, 4);

  @TempDir Path root;

  private final List<TransportNode> nodes = new ArrayList<>();
  private TransportNode n1;
  private TransportNode n2;
  private TransportNode n3;

  @BeforeEach
  void createNodes() throws IOException {
    n1 = node("n1");
    n2 = node("n2");
    n3 = node("n3");
  }

  @AfterEach
  void closeAll() {
    PeerIdentities.BEFORE_WRITE.off();
    nodes.forEach(TransportNode::close);
  }

  private TransportNode node(String id) throws IOException {
    TransportNode node = new TransportNode(id, root);
    nodes.add(node);
    return node;
  }

  private List<NodeId> members() {
    return List.of(n1.id, n2.id, n3.id);
  }

  @Test
  void anUnknownPeerIsNotWelcomedBeforeItsIdentityIsDurable() throws IOException {
    try (TransportLog log = new TransportLog()) {
      n1.start();
      PeerIdentities.BEFORE_WRITE.on(
          (at, subject) -> {
            throw new IOException("no space");
          });
      try (RawPeer peer = RawPeer.dial(n1).send(RawPeer.hello("n2", DISK, n1))) {
        assertThat(peer.receiveRefusal().reason())
            .as("no WELCOME first")
            .isEqualTo(RefusalReason.BUSY);
        assertThat(peer.receive()).isEmpty();
      }
      eventually(() -> assertThat(n1.failures).singleElement().asString().contains("no space"));
      assertThat(n1.identities.diskOf(n2.id)).isEmpty();
      assertThat(log.lines()).singleElement().asString().contains("n2");
    }
  }

  @Test
  void theIdentityOfAWelcomedPeerIsOnDisk() throws IOException {
    n1.start();
    try (RawPeer peer = RawPeer.dial(n1).send(RawPeer.hello("n2", DISK, n1))) {
      assertThat(peer.receiveType()).isEqualTo(FrameType.WELCOME);
      PeerIdentities stored =
          PeerIdentities.open(
              n1.directory, "rabia", NodeDisks.unregistered(), TransportNode.CLUSTER, n1.id);
      assertThat(stored.diskOf(n2.id)).contains(DISK);
      assertThat(stored.acceptedBy()).as("the peer has not accepted this node").isEmpty();
    }
  }

  @Test
  void aDialedPeerIsNotConnectedBeforeItsIdentityIsDurable() throws IOException {
    try (TransportLog log = new TransportLog();
        ServerSocket server = new ServerSocket(0)) {
      n1.start();
      PeerIdentities.BEFORE_WRITE.on(
          (at, subject) -> {
            throw new IOException("no space");
          });
      n1.transport.link(
          new Member(
              n2.id, InetSocketAddress.createUnresolved("127.0.0.1", server.getLocalPort())));
      try (RawPeer peer = RawPeer.accepted(server.accept())) {
        assertThat(peer.receiveType()).isEqualTo(FrameType.HELLO);
        peer.send(new Handshake.Welcome(Optional.empty(), n2.id, DISK, Starts.NONE));
        assertThat(peer.receiveRefusal().reason()).isEqualTo(RefusalReason.BUSY);
      }
      assertThat(n1.connections).isEmpty();
      assertThat(n1.acceptances).isEmpty();
      assertThat(n1.identities.acceptedBy()).isEmpty();
      assertThat(log.lines()).isNotEmpty();
    }
  }

  @Test
  void anEmptiedDiskIsRefusedByAllNodesAfterAllNodesRestarted() throws IOException {
    try (TransportLog log = new TransportLog()) {
      startAndLinkAll();
      awaitAllConnected();
      nodes.forEach(TransportNode::close);
      Files.delete(n2.directory.resolve(PeerIdentities.FILE));
      for (TransportNode node : nodes) {
        node.connections.clear();
        node.acceptances.clear();
        node.start();
      }
      await().atMost(PATIENCE).until(() -> n1.isConnectedTo(n3) && n3.isConnectedTo(n1));
      await().atMost(PATIENCE).until(() -> n2.refusals.size() >= 6);
      assertThat(n2.refusals).containsOnly(RefusalReason.DISK);
      assertThat(n2.connections).isEmpty();
      eventually(() -> assertThat(n1.connections).containsExactly(n3.id));
      eventually(() -> assertThat(n3.connections).containsExactly(n1.id));
      assertThat(n2.acceptances).isEmpty();
      assertThat(n2.identities.hasFormed(members())).as("so it sends no messages").isFalse();
      assertThat(n1.identities.hasFormed(members())).isTrue();
      eventually(
          () ->
              assertThat(log.lines())
                  .filteredOn(line -> line.startsWith("Refused a node peer=n2"))
                  .as("one line of n1 and one of n3")
                  .hasSize(2)
                  .allMatch(
                      line -> line.contains("another disk") && line.contains("node replace")));
      n2.send(numbered(1), n1, n3);
      n1.send(numbered(2), n3);
      n2.transport.flush();
      n1.transport.flush();
      await().atMost(PATIENCE).until(() -> n3.received.size() == 1);
      assertThat(n3.numbersFrom(n1)).containsExactly(2L);
      assertThat(n1.received).isEmpty();
    }
  }

  /** Its peer records the other disk from the topology, and has not met it. */
  @Test
  void aReplacedDiskIsRefusedByAPeerThatHasNotMetTheOtherOne() throws IOException {
    n1.start();
    n2.start();
    n2.link(n1);
    await().atMost(PATIENCE).until(() -> n2.isConnectedTo(n1));
    n1.registered.put(n2.id, new NodeDisks.Registered(n2.identities.self().disk(), 0));
    await().atMost(PATIENCE).until(() -> !n1.identities.isBehind(node -> false));
    n2.close();
    n1.registered.put(n2.id, new NodeDisks.Registered(DISK, 1));
    await().atMost(PATIENCE).until(() -> n1.identities.diskOf(n2.id).equals(Optional.of(DISK)));
    n1.close();
    n1.registered.clear();
    n1.start();
    n2.start();
    await().atMost(PATIENCE).until(() -> !n2.refusals.isEmpty());
    assertThat(n2.refusals).containsOnly(RefusalReason.DISK);
  }

  @Test
  void aNodeFormsWhenEnoughOthersHaveAcceptedIt() throws IOException {
    n1.start();
    n2.start();
    n1.link(n2);
    await().atMost(PATIENCE).until(() -> n1.acceptances.size() == 1);
    assertThat(n1.acceptances).containsExactly(n2.id);
    assertThat(n1.identities.hasFormed(members())).isFalse();
    assertThat(n2.identities.diskOf(n1.id)).contains(n1.identities.self().disk());
    n3.start();
    n1.link(n3);
    await().atMost(PATIENCE).until(() -> n1.acceptances.size() == 2);
    eventually(() -> assertThat(n1.identities.hasFormed(members())).isTrue());
    nodes.forEach(TransportNode::close);
    n1.start();
    assertThat(n1.identities.hasFormed(members())).as("the acceptances are durable").isTrue();
    n2.start();
    await().atMost(PATIENCE).until(() -> n1.isConnectedTo(n2));
    assertThat(n1.acceptances).as("no new acceptance").hasSize(2);
  }

  @Test
  void anIncomingConnectionIsNoAcceptance() throws IOException {
    n1.start();
    n2.start();
    n2.link(n1);
    await().atMost(PATIENCE).until(() -> n2.isConnectedTo(n1));
    assertThat(n2.identities.acceptedBy()).containsExactly(n1.id);
    assertThat(n1.identities.acceptedBy()).isEmpty();
  }

  /** Awaits effects that may follow the event for which the test has waited. */
  private static void eventually(ThrowingRunnable assertions) {
    await().atMost(PATIENCE).untilAsserted(assertions);
  }

  private void startAndLinkAll() throws IOException {
    for (TransportNode node : nodes) {
      node.start();
    }
    n1.link(n2, n3);
    n2.link(n1, n3);
    n3.link(n1, n2);
  }

  private void awaitAllConnected() {
    for (TransportNode node : nodes) {
      await().atMost(PATIENCE).until(() -> node.transport.connected().size() == 2);
    }
  }
}
