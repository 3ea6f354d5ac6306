package io.quorate.server.node.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.common.DurableFiles;
import io.quorate.common.FileErrors;
import io.quorate.common.PrivateDirectory;
import io.quorate.server.config.StartupException;
import io.quorate.server.device.DeviceProbe;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataDirectoryTest {
  private static final DataIdentity IDENTITY =
      new DataIdentity("c1", "n1", DataIdentity.FORMAT, Map.of("engine", "rabia"));

  @TempDir private Path parent;

  private Path root() {
    return parent.resolve("a").resolve("data");
  }

  private void open(DataIdentity identity) throws IOException {
    try (DataDirectory data = DataDirectory.open(root(), Optional.empty(), identity)) {
      assertThat(data.storage()).isDirectory();
      assertThat(data.consensus()).isDirectory();
      assertThat(data.freeBytes()).isPositive();
    }
  }

  @Test
  void itIsCreatedForItsOwnerAloneAndOneThatExistsKeepsItsModes() throws IOException {
    open(IDENTITY);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(root())))
        .isEqualTo("rwx------");
    assertThat(PrivateDirectory.isOpenToOthers(root())).isFalse();
    Files.setPosixFilePermissions(root(), PosixFilePermissions.fromString("rwxr-x--x"));
    open(IDENTITY);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(root())))
        .isEqualTo("rwxr-x--x");
    assertThat(PrivateDirectory.isOpenToOthers(root())).isTrue();
  }

  /** The process ends then, and with it the lock. */
  @Test
  void aRenewalOnADiskThatDoesNotRespondDoesNotKeepTheNodeFromStopping() throws Exception {
    CompletableFuture<Void> disk = new CompletableFuture<>();
    CompletableFuture<Void> renewal;
    DataDirectory data = DataDirectory.open(root(), Optional.empty(), IDENTITY);
    CompletableFuture<Void> waits = new CompletableFuture<>();
    StartRecords.BEFORE_WRITE.on(
        (point, file) -> {
          waits.complete(null);
          disk.join();
        });
    try {
      renewal = CompletableFuture.runAsync(data::renewStart);
      waits.join();
      assertThatThrownBy(data::close)
          .isInstanceOf(IOException.class)
          .hasMessageContaining(root().toString())
          .hasMessageContaining("does not respond");
      assertThat(DataDirectory.isInUse(root())).isTrue();
    } finally {
      StartRecords.BEFORE_WRITE.off();
      disk.complete(null);
    }
    renewal.join();
    data.close();
    open(IDENTITY);
  }

  private void assertRejected(DataIdentity identity, String... parts) {
    assertThatThrownBy(() -> open(identity))
        .isInstanceOf(StartupException.class)
        .hasMessageContainingAll(parts)
        .hasMessageContaining(root().toString())
        .message()
        .endsWith(".");
  }

  @Test
  void belongsToOneNodeOfOneCluster() throws IOException {
    open(IDENTITY);
    open(IDENTITY);

    assertRejected(
        new DataIdentity("c2", "n1", IDENTITY.formatVersion(), IDENTITY.choices()),
        "belongs to cluster \"c1\"",
        "cluster.id is \"c2\"");
    assertRejected(
        new DataIdentity("c1", "n2", IDENTITY.formatVersion(), IDENTITY.choices()),
        "belongs to node \"n1\"",
        "node.id is \"n2\"");
  }

  @Test
  void hasADiskOfItsOwn() throws IOException {
    UUID first;
    try (DataDirectory data = DataDirectory.open(root(), Optional.empty(), IDENTITY)) {
      first = data.disk();
    }
    try (DataDirectory data = DataDirectory.open(root(), Optional.empty(), IDENTITY)) {
      assertThat(data.disk()).isEqualTo(first);
      assertThat(ReplicaRecords.open(data.replicas()).hasJoined()).isFalse();
    }
    DurableFiles.deleteTree(root());
    try (DataDirectory data = DataDirectory.open(root(), Optional.empty(), IDENTITY)) {
      assertThat(data.disk()).isNotEqualTo(first);
    }
  }

  @Test
  void mayHaveWhatAKilledProbeOfTheDeviceHasLeft() throws IOException {
    Files.createDirectories(root());
    Files.writeString(root().resolve(DeviceProbe.FILE), "left");
    open(IDENTITY);
  }

  @Test
  void rejectsOtherSettingsThatItsFilesDependOn() throws IOException {
    Map<String, String> published =
        Map.of("engine", "rabia", "replication", "full", "rabia.chooser", "published");
    DataIdentity created = new DataIdentity("c1", "n1", DataIdentity.FORMAT, published);
    open(created);
    open(created);

    assertRejected(
        new DataIdentity(
            "c1", "n1", created.formatVersion(), Map.of("engine", "raft", "replication", "full")),
        "was made with engine = \"rabia\", and the configuration has \"raft\"",
        "change the configuration back");
    assertRejected(
        new DataIdentity(
            "c1",
            "n1",
            created.formatVersion(),
            Map.of("engine", "rabia", "replication", "full", "rabia.chooser", "owned")),
        "was made with rabia.chooser = \"published\", and the configuration has \"owned\"");
  }

  @Test
  void anotherFormatIsRejected() throws IOException {
    open(IDENTITY);
    Path identity = root().resolve("identity");
    Files.writeString(
        identity, Files.readString(identity).replace("format=" + DataIdentity.FORMAT, "format=8"));

    assertRejected(IDENTITY, "format \"8\"");
  }

  /** A log for each replica, in place of one for all. */
  @Test
  void aDirectoryOfTheFormatBeforeIsRejectedWithWhatToDo() throws IOException {
    open(IDENTITY);
    Path identity = root().resolve("identity");
    Files.writeString(identity, Files.readString(identity).replace("format=7", "format=6"));
    assertRejected(
        IDENTITY, "format \"6\"", "reads format 7 only", "copy the rows to a new cluster");
    DataIdentity ofRaft =
        new DataIdentity("c1", "n1", DataIdentity.FORMAT, Map.of("engine", "raft"));
    assertRejected(ofRaft, "reads format 7 only");
  }

  @Test
  void aDamagedIdentityIsNamed() throws IOException {
    open(IDENTITY);
    Path identity = root().resolve("identity");
    String undamaged = Files.readString(identity);
    for (String text :
        List.of(
            "",
            "\0".repeat(undamaged.length()),
            undamaged.replaceFirst("disk=.*", ""),
            undamaged.replaceFirst("disk=", "disk=x"),
            undamaged.replaceFirst("node=.*", ""))) {
      Files.writeString(identity, text);
      assertRejected(IDENTITY, identity + ", ", "is damaged", FileErrors.REMEDY);
    }
    Files.write(identity, new byte[] {(byte) 0xff});
    assertRejected(IDENTITY, identity + ", ", "is damaged", FileErrors.REMEDY);
    Files.delete(identity);
    Files.createDirectory(identity);
    assertRejected(IDENTITY, identity + ", ", "is damaged", FileErrors.REMEDY);
    Files.delete(identity);
    assertRejected(IDENTITY, "holds files but no identity", FileErrors.REMEDY);
  }

  @Test
  void isUsedByOneProcessAtATime() throws IOException {
    try (DataDirectory held = DataDirectory.open(root(), Optional.empty(), IDENTITY)) {
      assertThat(held.storage()).exists();
      assertRejected(IDENTITY, "in use");
    }
    open(IDENTITY);
  }

  @Test
  void aDirectoryWithForeignFilesIsRejectedUnchanged() throws IOException {
    Files.createDirectories(root());
    Files.writeString(root().resolve("diary.txt"), "dear diary");

    assertRejected(IDENTITY, "holds files but no identity");
    assertThat(root().resolve("identity")).doesNotExist();
  }

  @Test
  void anInterruptedFirstStartIsRepeated() throws IOException {
    Files.createDirectories(root());
    Files.writeString(root().resolve("identity.draft"), "half");
    Files.writeString(root().resolve("lock"), "");

    open(IDENTITY);

    assertThat(root().resolve("identity")).exists();
  }

  @Test
  void aFileInPlaceOfTheDirectoryIsNamed() throws IOException {
    Files.createDirectories(root().getParent());
    Files.writeString(root(), "not a directory");

    assertRejected(IDENTITY, "cannot be used");
  }
}
