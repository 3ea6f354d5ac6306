package io.quorate.replication.transport.handshake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.consensus.NodeDisks;
import io.quorate.consensus.Starts;
import io.quorate.model.NodeId;
import io.quorate.replication.transport.handshake.PeerIdentities.Standing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PeerIdentitiesTest {
  private static final UUID CLUSTER = new UUID(1, 2);
  private static final NodeId SELF = new NodeId("n1");
  private static final NodeId OTHER = new NodeId("n2");
  private static final NodeId THIRD = new NodeId("n3");
  private static final UUID DISK = new UUID(3, 4);
  private static final UUID ANOTHER = new UUID(5, 6);

  @TempDir Path directory;

  private final Map<NodeId, NodeDisks.Registered> registered = new HashMap<>();

  @AfterEach
  void switchFailpointOff() {
    PeerIdentities.BEFORE_WRITE.off();
  }

  @Test
  void theIdentityIsCreatedOnce() throws IOException {
    LocalIdentity first = open().self();
    assertThat(first.cluster()).isEqualTo(CLUSTER);
    assertThat(first.node()).isEqualTo(SELF);
    assertThat(open().self()).isEqualTo(first);
    Files.delete(directory.resolve(PeerIdentities.FILE));
    assertThat(open().self()).isNotEqualTo(first);
  }

  @Test
  void recordedPeersSurviveARestart() throws IOException {
    PeerIdentities before = open();
    assertThat(before.learn(peer(OTHER, DISK))).isEqualTo(Standing.KNOWN);
    assertThat(before.learnAcceptance(peer(THIRD, DISK))).isEqualTo(Standing.KNOWN);
    PeerIdentities after = open();
    assertThat(after.diskOf(OTHER)).contains(DISK);
    assertThat(after.diskOf(THIRD)).contains(DISK);
    assertThat(after.diskOf(SELF)).isEmpty();
    assertThat(after.acceptedBy()).containsExactly(THIRD);
    assertThat(after.hasFormed(List.of(SELF, THIRD))).isTrue();
    assertThat(after.hasFormed(List.of(SELF, OTHER, THIRD))).isFalse();
    assertThat(after.learnAcceptance(peer(OTHER, DISK)))
        .as("of a peer recorded before")
        .isEqualTo(Standing.KNOWN);
    assertThat(open().hasFormed(List.of(SELF, OTHER, THIRD))).isTrue();
  }

  @Test
  void theFirstLineNamesTheEngineAndTheFormat() throws IOException {
    open();
    Path file = directory.resolve(PeerIdentities.FILE);
    assertThat(Files.readAllLines(file)).first().isEqualTo("quorate rabia identities 3");
    assertThatThrownBy(
            () -> PeerIdentities.open(directory, "raft", NodeDisks.unregistered(), CLUSTER, SELF))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("its first line is not \"quorate raft identities 3\"");
  }

  @Test
  void aNodeHasOneDiskForEver() throws IOException {
    PeerIdentities identities = open();
    UUID another = UUID.randomUUID();
    identities.learn(peer(OTHER, DISK));
    assertThat(identities.standing(peer(OTHER, DISK))).isEqualTo(Standing.KNOWN);
    assertThat(identities.standing(peer(OTHER, another))).isEqualTo(Standing.OTHER);
    assertThat(identities.standing(peer(THIRD, another))).isEqualTo(Standing.UNKNOWN);
    assertThat(identities.learn(peer(OTHER, another))).isEqualTo(Standing.OTHER);
    assertThat(identities.learnAcceptance(peer(OTHER, another))).isEqualTo(Standing.OTHER);
    assertThat(identities.acceptedBy()).isEmpty();
    assertThat(open().diskOf(OTHER)).contains(DISK);
  }

  @Test
  void afterAFailedWriteThePeerIsUnknownAndFurtherWritesFail() throws IOException {
    PeerIdentities identities = open();
    PeerIdentities.BEFORE_WRITE.on(
        (at, subject) -> {
          throw new IOException("no space");
        });
    assertThatThrownBy(() -> identities.learn(peer(OTHER, DISK)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(directory.resolve(PeerIdentities.FILE).toString())
        .hasMessageContaining("no space");
    PeerIdentities.BEFORE_WRITE.off();
    assertThat(identities.standing(peer(OTHER, DISK))).isEqualTo(Standing.UNKNOWN);
    assertThatThrownBy(() -> identities.learn(peer(THIRD, DISK))).hasMessageContaining("restart");
    assertThat(open().diskOf(OTHER)).isEmpty();
  }

  @Test
  void everyDamagedByteIsDetected() throws IOException {
    open().learnAcceptance(peer(OTHER, DISK));
    Path file = directory.resolve(PeerIdentities.FILE);
    byte[] good = Files.readAllBytes(file);
    for (int i = 0; i < good.length; i++) {
      for (int mask : new int[] {1, 0x20, 0x80}) {
        byte[] bad = good.clone();
        bad[i] ^= (byte) mask;
        Files.write(file, bad);
        assertDamaged(file, "byte " + i + " with " + mask);
      }
      Files.write(file, Arrays.copyOf(good, i));
      assertDamaged(file, i + " bytes");
    }
    Files.write(file, new byte[2 << 20]);
    assertDamaged(file, "much too long");
    Files.write(file, good);
    assertThat(open().acceptedBy()).containsExactly(OTHER);
  }

  private void assertDamaged(Path file, String damage) {
    assertThatThrownBy(this::open)
        .as(damage)
        .isInstanceOf(IOException.class)
        .hasMessageContaining(file + " is damaged")
        .hasMessageContaining("node replace");
  }

  @Test
  void noNewIdentityIsCreatedBesideOtherFiles() throws IOException {
    Files.createDirectory(directory.resolve("groups"));
    assertThatThrownBy(this::open)
        .isInstanceOf(IOException.class)
        .hasMessageContaining(directory.resolve(PeerIdentities.FILE) + " is missing")
        .hasMessageContaining("node replace");
  }

  @Test
  void aNodeStartsAfterAnInterruptedFirstStart() throws IOException {
    Files.writeString(directory.resolve(PeerIdentities.FILE + ".draft"), "half of");
    assertThat(open().self().node()).isEqualTo(SELF);
  }

  @Test
  void theDirectoryOfAnotherNodeOrClusterIsRefused() throws IOException {
    open();
    assertThatThrownBy(
            () -> PeerIdentities.open(directory, "rabia", NodeDisks.unregistered(), CLUSTER, OTHER))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("node n1")
        .hasMessageContaining("node n2");
    UUID cluster = new UUID(7, 8);
    assertThatThrownBy(
            () -> PeerIdentities.open(directory, "rabia", NodeDisks.unregistered(), cluster, SELF))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(cluster.toString());
  }

  /** Its replicas on the former disk are removed from their groups by then. */
  @Test
  void aDiskThatIsRegisteredTakesThePlaceOfTheRecordedOne() throws IOException {
    open().learnAcceptance(peer(OTHER, DISK));
    PeerIdentities identities = open();
    assertThat(identities.learn(peer(OTHER, ANOTHER))).isEqualTo(Standing.OTHER);

    register(OTHER, ANOTHER, 5);
    assertThat(identities.learn(peer(OTHER, ANOTHER))).isEqualTo(Standing.KNOWN);
    assertThat(identities.acceptedBy()).as("the new disk has not accepted this node").isEmpty();
    assertThat(identities.learn(peer(OTHER, DISK))).as("the former disk").isEqualTo(Standing.OTHER);
    assertThat(open().diskOf(OTHER)).contains(ANOTHER);
  }

  /** The peer has not presented its new disk here. */
  @Test
  void theFormerDiskIsRefusedOnceATopologyHasAnother() throws IOException {
    PeerIdentities identities = open();
    identities.learn(peer(OTHER, Starts.NONE.next(1)));
    register(OTHER, DISK, 0);
    identities.follow(node -> false);
    assertThat(identities.isBehind(node -> false)).isFalse();

    register(OTHER, ANOTHER, 5);
    assertThat(identities.isBehind(node -> false)).isTrue();
    assertThat(identities.standing(peer(OTHER, DISK))).isEqualTo(Standing.OTHER);
    identities.follow(node -> false);
    assertThat(identities.isBehind(node -> false)).isFalse();
    registered.clear();
    PeerIdentities restarted = open();
    assertThat(restarted.diskOf(OTHER)).as("before a topology is known").contains(ANOTHER);
    assertThat(restarted.learn(peer(OTHER, Starts.NONE.next(1).next(2)))).isEqualTo(Standing.OTHER);
    assertThat(restarted.learn(peer(OTHER, ANOTHER))).isEqualTo(Standing.KNOWN);
  }

  @Test
  void noDiskReturnsByATopologyThatIsBehind() throws IOException {
    open().learn(peer(OTHER, DISK));
    register(OTHER, ANOTHER, 5);
    assertThat(open().learn(peer(OTHER, ANOTHER))).isEqualTo(Standing.KNOWN);

    for (long version : List.of(5L, 3L)) {
      register(OTHER, DISK, version);
      PeerIdentities identities = open();
      assertThat(identities.isBehind(node -> false)).isFalse();
      identities.follow(node -> false);
      assertThat(identities.diskOf(OTHER)).contains(ANOTHER);
      assertThat(identities.learn(peer(OTHER, DISK))).isEqualTo(Standing.OTHER);
      assertThat(identities.learn(peer(OTHER, ANOTHER))).isEqualTo(Standing.KNOWN);
    }
  }

  /** It was presented before this node knew a topology, as after a restart. */
  @Test
  void aDiskThatNoTopologyHasShownIsRefusedOnceOneHasAnother() throws IOException {
    PeerIdentities identities = open();
    assertThat(identities.learn(peer(OTHER, DISK))).isEqualTo(Standing.KNOWN);
    register(OTHER, ANOTHER, 3);
    assertThat(identities.standing(peer(OTHER, DISK))).isEqualTo(Standing.OTHER);
    assertThat(identities.isBehind(node -> false)).isTrue();
    identities.follow(node -> false);
    registered.clear();
    assertThat(open().learn(peer(OTHER, DISK))).isEqualTo(Standing.OTHER);

    register(OTHER, DISK, 5);
    assertThat(open().learn(peer(OTHER, DISK))).as("it was newer").isEqualTo(Standing.KNOWN);
    register(OTHER, ANOTHER, 3);
    assertThat(open().learn(peer(OTHER, ANOTHER))).isEqualTo(Standing.OTHER);
  }

  /** This node was added, or was off, while the peer's disk was replaced. */
  @Test
  void aDiskOfAPeerThatWasNeverMetIsTheRegisteredOne() throws IOException {
    register(OTHER, ANOTHER, 3);
    PeerIdentities identities = open();
    assertThat(identities.learn(peer(OTHER, DISK))).isEqualTo(Standing.OTHER);
    assertThat(identities.learnAcceptance(peer(OTHER, DISK))).isEqualTo(Standing.OTHER);
    assertThat(identities.learn(peer(OTHER, ANOTHER))).isEqualTo(Standing.KNOWN);
  }

  @Test
  void aDiskThatLacksARecordedStartIsOutdated() throws IOException {
    Starts copied = Starts.NONE.next(1);
    Starts present = copied.next(2);
    assertThat(open().learn(peer(OTHER, copied))).isEqualTo(Standing.KNOWN);
    assertThat(open().learnAcceptance(peer(OTHER, present))).isEqualTo(Standing.KNOWN);
    assertThat(open().standing(peer(OTHER, present))).isEqualTo(Standing.KNOWN);
    Starts copy = copied;
    for (long id = 10; id < 20; id++) {
      assertThat(open().learn(peer(OTHER, copy))).isEqualTo(Standing.OUTDATED);
      assertThat(open().learnAcceptance(peer(OTHER, copy))).isEqualTo(Standing.OUTDATED);
      copy = copy.next(id);
    }
    assertThat(open().learn(peer(OTHER, present.next(3)))).isEqualTo(Standing.KNOWN);
    assertThat(open().acceptedBy()).as("also after its next start").containsExactly(OTHER);
    assertThat(open().standing(peer(OTHER, present))).isEqualTo(Standing.OUTDATED);
  }

  /** The connections of a node have no order. */
  @Test
  void aStartMayArriveAfterItsRenewal() throws IOException {
    Starts start = Starts.NONE.next(1);
    open().learn(peer(OTHER, start.renewed().renewed()));
    assertThat(open().learn(peer(OTHER, start.renewed()))).isEqualTo(Standing.KNOWN);
    assertThat(open().learn(peer(OTHER, start.renewed().next(2)))).isEqualTo(Standing.OUTDATED);
    assertThat(open().learn(peer(OTHER, start.renewed().renewed().next(2))))
        .isEqualTo(Standing.KNOWN);
  }

  private static LocalIdentity peer(NodeId node, UUID disk) {
    return new LocalIdentity(CLUSTER, node, disk);
  }

  private static LocalIdentity peer(NodeId node, Starts starts) {
    return new LocalIdentity(CLUSTER, node, DISK, starts);
  }

  private PeerIdentities open() throws IOException {
    return PeerIdentities.open(
        directory,
        "rabia",
        new NodeDisks(UUID.randomUUID(), node -> Optional.ofNullable(registered.get(node))),
        CLUSTER,
        SELF);
  }

  private void register(NodeId node, UUID disk, long topology) {
    registered.put(node, new NodeDisks.Registered(disk, topology));
  }
}
