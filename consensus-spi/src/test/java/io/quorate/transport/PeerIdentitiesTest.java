package io.quorate.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.consensus.NodeDisks;
import io.quorate.consensus.NodeId;
import io.quorate.transport.PeerIdentities.OtherDisk;
import io.quorate.transport.PeerIdentities.Standing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
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

  @TempDir Path directory;

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
    assertThat(before.learn(OTHER, DISK)).isTrue();
    assertThat(before.learnAcceptance(THIRD, DISK)).isTrue();
    PeerIdentities after = open();
    assertThat(after.diskOf(OTHER)).contains(DISK);
    assertThat(after.diskOf(THIRD)).contains(DISK);
    assertThat(after.diskOf(SELF)).isEmpty();
    assertThat(after.acceptedBy()).containsExactly(THIRD);
    assertThat(after.hasFormed(List.of(SELF, THIRD))).isTrue();
    assertThat(after.hasFormed(List.of(SELF, OTHER, THIRD))).isFalse();
    assertThat(after.learnAcceptance(OTHER, DISK)).as("of a peer recorded before").isTrue();
    assertThat(open().hasFormed(List.of(SELF, OTHER, THIRD))).isTrue();
  }

  @Test
  void anotherDiskReplacesTheRecordedOneOnlyWhereThatIsAllowed() throws IOException {
    UUID otherDisk = new UUID(5, 6);
    open().learn(OTHER, DISK);
    assertThat(open().learn(OTHER, otherDisk)).isFalse();
    assertThat(open().diskOf(OTHER)).contains(DISK);
    PeerIdentities lenient =
        PeerIdentities.open(
            directory, "rabia", OtherDisk.RECORDED, NodeDisks.unregistered(), CLUSTER, SELF);
    assertThat(lenient.standing(OTHER, otherDisk)).isEqualTo(Standing.UNKNOWN);
    assertThat(lenient.learn(OTHER, otherDisk)).isTrue();
    assertThat(lenient.learnAcceptance(THIRD, DISK)).isTrue();
    assertThat(lenient.learnAcceptance(THIRD, otherDisk)).isTrue();
    PeerIdentities after = open();
    assertThat(after.diskOf(OTHER)).contains(otherDisk);
    assertThat(after.diskOf(THIRD)).contains(otherDisk);
    assertThat(after.acceptedBy()).containsExactly(THIRD);
  }

  @Test
  void whereNoVoteDependsOnItADamagedFileIsReplacedAndAFailedWriteIsRepeated() throws IOException {
    LocalIdentity first = open().self();
    Files.writeString(directory.resolve(PeerIdentities.FILE), "damaged");
    PeerIdentities lenient =
        PeerIdentities.open(
            directory, "rabia", OtherDisk.RECORDED, NodeDisks.unregistered(), CLUSTER, SELF);
    assertThat(lenient.self()).isNotEqualTo(first);
    PeerIdentities.BEFORE_WRITE.on(
        (at, subject) -> {
          throw new IOException("no space");
        });
    assertThatThrownBy(() -> lenient.learn(OTHER, DISK)).hasMessageContaining("no space");
    PeerIdentities.BEFORE_WRITE.off();
    assertThat(lenient.learn(OTHER, DISK)).isTrue();
  }

  @Test
  void theFirstLineNamesTheEngineAndTheFormat() throws IOException {
    open();
    Path file = directory.resolve(PeerIdentities.FILE);
    assertThat(Files.readAllLines(file)).first().isEqualTo("quorate rabia identities 1");
    assertThatThrownBy(
            () ->
                PeerIdentities.open(
                    directory, "raft", OtherDisk.REFUSED, NodeDisks.unregistered(), CLUSTER, SELF))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("its first line is not \"quorate raft identities 1\"");
  }

  @Test
  void aNodeHasOneDiskForEver() throws IOException {
    PeerIdentities identities = open();
    UUID another = UUID.randomUUID();
    identities.learn(OTHER, DISK);
    assertThat(identities.standing(OTHER, DISK)).isEqualTo(Standing.KNOWN);
    assertThat(identities.standing(OTHER, another)).isEqualTo(Standing.OTHER);
    assertThat(identities.standing(THIRD, another)).isEqualTo(Standing.UNKNOWN);
    assertThat(identities.learn(OTHER, another)).isFalse();
    assertThat(identities.learnAcceptance(OTHER, another)).isFalse();
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
    assertThatThrownBy(() -> identities.learn(OTHER, DISK))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(directory.resolve(PeerIdentities.FILE).toString())
        .hasMessageContaining("no space");
    PeerIdentities.BEFORE_WRITE.off();
    assertThat(identities.standing(OTHER, DISK)).isEqualTo(Standing.UNKNOWN);
    assertThatThrownBy(() -> identities.learn(THIRD, DISK)).hasMessageContaining("restart");
    assertThat(open().diskOf(OTHER)).isEmpty();
  }

  @Test
  void everyDamagedByteIsDetected() throws IOException {
    open().learnAcceptance(OTHER, DISK);
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
        .hasMessageContaining("new id");
  }

  @Test
  void noNewIdentityIsCreatedBesideOtherFiles() throws IOException {
    Files.createDirectory(directory.resolve("groups"));
    assertThatThrownBy(this::open)
        .isInstanceOf(IOException.class)
        .hasMessageContaining(directory.resolve(PeerIdentities.FILE) + " is missing")
        .hasMessageContaining("new id");
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
            () ->
                PeerIdentities.open(
                    directory,
                    "rabia",
                    OtherDisk.REFUSED,
                    NodeDisks.unregistered(),
                    CLUSTER,
                    OTHER))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("node n1")
        .hasMessageContaining("node n2");
    UUID cluster = new UUID(7, 8);
    assertThatThrownBy(
            () ->
                PeerIdentities.open(
                    directory, "rabia", OtherDisk.REFUSED, NodeDisks.unregistered(), cluster, SELF))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(cluster.toString());
  }

  /** Its replicas on the former disk are removed from their groups by then. */
  @Test
  void aDiskThatIsRegisteredTakesThePlaceOfTheRecordedOne() throws IOException {
    UUID another = UUID.randomUUID();
    open().learnAcceptance(OTHER, DISK);
    Set<UUID> registered = new HashSet<>();
    NodeDisks disks = new NodeDisks(DISK, (node, disk) -> registered.contains(disk));
    PeerIdentities identities =
        PeerIdentities.open(directory, "rabia", OtherDisk.REFUSED, disks, CLUSTER, SELF);
    assertThat(identities.learn(OTHER, another)).isFalse();

    registered.add(another);
    assertThat(identities.learn(OTHER, another)).isTrue();
    assertThat(identities.acceptedBy()).as("the new disk has not accepted this node").isEmpty();
    assertThat(identities.learn(OTHER, DISK)).as("the former disk").isFalse();
    assertThat(open().diskOf(OTHER)).contains(another);
  }

  private PeerIdentities open() throws IOException {
    return PeerIdentities.open(
        directory, "rabia", OtherDisk.REFUSED, NodeDisks.unregistered(), CLUSTER, SELF);
  }
}
