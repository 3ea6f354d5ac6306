package io.quorate.replication.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.quorate.consensus.NodeDisks;
import io.quorate.model.NodeId;
import io.quorate.replication.transport.handshake.Handshake;
import io.quorate.replication.transport.handshake.PeerIdentities;
import io.quorate.replication.transport.handshake.RefusalReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes that are not in the cluster: they leave nothing behind, and learn nothing. */
class StrangersTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final UUID DISK = new UUID(3, 4);

  @TempDir Path root;

  private final Set<NodeId> cluster = ConcurrentHashMap.newKeySet();
  private final TransportLog log = new TransportLog();
  private volatile long version = 5;
  private TransportNode n1;
  private TransportNode n2;

  @BeforeEach
  void start() throws IOException {
    n1 = new TransportNode("n1", root);
    n2 = new TransportNode("n2", root);
    cluster.add(n1.id);
    n1.presence = node -> new NodeDisks.Presence(cluster.contains(node), OptionalLong.of(version));
    n1.start();
  }

  @AfterEach
  void close() {
    n1.close();
    n2.close();
    log.close();
  }

  @Test
  void inventedNamesDoNotKeepOutANewNode() throws IOException {
    byte[] before = Files.readAllBytes(n1.directory.resolve(PeerIdentities.FILE));
    for (int i = 0; i < 2_000; i++) {
      try (RawPeer stranger =
          RawPeer.dial(n1).send(RawPeer.hello("invented-" + i, UUID.randomUUID(), n1))) {
        assertThat(stranger.receiveRefusalReason()).isEqualTo(RefusalReason.STRANGER);
      }
    }
    assertThat(n1.identities.size()).isZero();
    assertThat(n1.directory.resolve(PeerIdentities.FILE)).hasBinaryContent(before);

    // It is started before it is added, and is welcome once it is.
    n2.start();
    n2.link(n1);
    await().atMost(PATIENCE).until(() -> !n2.refusals.isEmpty());
    assertThat(n2.refusals).containsOnly(RefusalReason.STRANGER);
    assertThat(n1.identities.diskOf(n2.id)).isEmpty();
    cluster.add(n2.id);
    await().atMost(PATIENCE).until(() -> n2.isConnectedTo(n1));
    assertThat(n1.identities.diskOf(n2.id)).contains(n2.identities.self().disk());
  }

  /** With the disk of a member, a stranger could pass for it at the others. */
  @Test
  void aStrangerIsNotToldTheDiskOfTheNode() throws IOException {
    UUID disk = n1.identities.self().disk();
    try (RawPeer stranger = RawPeer.dial(n1).send(RawPeer.hello("zz", DISK, n1))) {
      String detail = stranger.receiveRefusalDetail();
      assertThat(detail).contains("zz is not in the cluster").doesNotContain(disk.toString());
      assertThat(stranger.receive()).as("nothing else").isEmpty();
    }
  }

  @Test
  void strangersThatSayNothingDoNotTakeThePlacesOfNodes() throws IOException {
    n1.close();
    n1.with("connections-max", "8").start();
    cluster.add(n2.id);
    n2.start();
    List<RawPeer> silent = new ArrayList<>();
    try {
      for (int i = 0; i < 40; i++) {
        silent.add(RawPeer.dial(n1));
      }
      n2.link(n1);
      await().atMost(PATIENCE).until(() -> n2.isConnectedTo(n1));
      assertThat(n2.refusals).isEmpty();
      for (int i = 0; i < 40; i++) {
        silent.add(RawPeer.dial(n1));
      }
      assertThat(silent.get(0).receive()).as("the oldest gave way").isEmpty();
      assertThat(n2.isConnectedTo(n1)).isTrue();
    } finally {
      for (RawPeer each : silent) {
        each.close();
      }
    }
  }

  /** It would end the node, and refuse its disk for ever. */
  @Test
  void aStrangerIsNotBelievedThatTheDiskIsAnOlderCopy() throws IOException {
    Handshake.Refused forged = new Handshake.Refused(RefusalReason.OUTDATED, "An older copy.");
    try (RawPeer stranger = RawPeer.dial(n1).send(forged)) {
      assertThat(stranger.receiveRefusalReason()).isEqualTo(RefusalReason.MALFORMED);
    }
    try (RawPeer stranger = RawPeer.dial(n1)) {
      stranger.send(RawPeer.hello("zz", DISK, n1));
      stranger.send(forged.frame(UnpooledByteBufAllocator.DEFAULT));
      assertThat(stranger.receiveRefusalReason()).isEqualTo(RefusalReason.STRANGER);
      assertThat(stranger.receive()).isEmpty();
    }
    assertThat(n1.outdated).isEmpty();
  }

  /** Each would be logged once, at its first attempt. */
  @Test
  void linesAboutStrangersDoNotHideThatADiskIsRefused() throws IOException {
    cluster.add(n2.id);
    try (RawPeer peer = RawPeer.dial(n1).send(RawPeer.hello("n2", DISK, n1))) {
      peer.receive();
    }
    for (int i = 0; i < 50; i++) {
      try (RawPeer stranger = RawPeer.dial(n1).send(RawPeer.hello("zz-" + i, DISK, n1))) {
        assertThat(stranger.receiveRefusalReason()).isEqualTo(RefusalReason.STRANGER);
      }
    }
    try (RawPeer peer = RawPeer.dial(n1).send(RawPeer.hello("n2", UUID.randomUUID(), n1))) {
      assertThat(peer.receiveRefusalReason()).isEqualTo(RefusalReason.DISK);
    }
    assertThat(log.lines()).anyMatch(line -> line.contains("reason=DISK"));
  }

  /** The members of a group may be known before the topology that has them. */
  @Test
  void aMemberOfAGroupIsNoStranger() throws IOException {
    n2.start();
    n1.link(n2);
    n2.link(n1);
    await().atMost(PATIENCE).until(() -> n1.isConnectedTo(n2) && n2.isConnectedTo(n1));
    assertThat(n1.identities.diskOf(n2.id)).contains(n2.identities.self().disk());
  }

  @Test
  void aNodeThatHasLeftIsForgottenAndRefused() throws IOException {
    cluster.add(n2.id);
    try (RawPeer peer = RawPeer.dial(n1).send(RawPeer.hello("n2", DISK, n1))) {
      peer.receive();
    }
    assertThat(n1.identities.diskOf(n2.id)).contains(DISK);
    cluster.remove(n2.id);
    await().atMost(PATIENCE).until(() -> n1.identities.diskOf(n2.id).isEmpty());
    try (RawPeer peer = RawPeer.dial(n1).send(RawPeer.hello("n2", DISK, n1))) {
      assertThat(peer.receiveRefusalReason()).isEqualTo(RefusalReason.STRANGER);
    }
    n1.close();
    n1.start();
    assertThat(n1.identities.size()).as("also after a restart").isZero();
  }
}
