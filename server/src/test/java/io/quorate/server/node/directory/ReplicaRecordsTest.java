package io.quorate.server.node.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.client.cluster.RegionEpoch;
import io.quorate.common.FileErrors;
import io.quorate.model.GroupId;
import io.quorate.server.node.directory.ReplicaRecords.Assigned;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReplicaRecordsTest {
  private static final GroupId ONE = new GroupId(1);
  private static final GroupId TWO = new GroupId(20);
  private static final Assigned FOUNDED = new Assigned(RegionEpoch.FIRST, 0);
  private static final Assigned JOINED = new Assigned(new RegionEpoch(7), 5);

  @TempDir private Path parent;
  private Path directory;

  @BeforeEach
  void create() throws IOException {
    directory = parent.resolve("replicas");
    ReplicaRecords.create(directory);
  }

  @Test
  void recordsAreThereAfterARestart() throws IOException {
    ReplicaRecords records = ReplicaRecords.open(directory);
    records.putAll(Map.of(ONE, FOUNDED, TWO, FOUNDED));
    records.put(TWO, JOINED);
    assertThat(ReplicaRecords.open(directory).of(ONE)).contains(FOUNDED);
    assertThat(ReplicaRecords.open(directory).of(TWO)).contains(JOINED);
    records.delete(ONE);
    assertThat(records.of(ONE)).isEmpty();
    assertThat(ReplicaRecords.open(directory).of(ONE)).isEmpty();
    assertThat(ReplicaRecords.open(directory).of(TWO)).contains(JOINED);
  }

  @Test
  void aDamagedRecordIsReported() throws IOException {
    Path file = directory.resolve("records");
    String undamaged = Files.readString(file);
    for (String text :
        new String[] {"", "1 1 0\n", "replicas 2 0\n1 1 0\n", "replicas 2 0", "\n"}) {
      Files.writeString(file, text);
      assertRefused(text);
    }
    Files.writeString(file, undamaged + "1 1 0\n");
    assertRefused("a record without its checksum");
    Files.write(file, new byte[undamaged.length()]);
    assertRefused("zeros");
    Files.delete(file);
    Files.createDirectory(file);
    assertRefused("a directory");
  }

  @Test
  void theFoundingOfTheClusterIsRecordedOnce() throws IOException {
    ReplicaRecords records = ReplicaRecords.open(directory);
    assertThat(records.hasJoined()).isFalse();
    UUID founding = UUID.randomUUID();
    records.join(founding);
    records.join(UUID.randomUUID());
    ReplicaRecords reopened = ReplicaRecords.open(directory);
    assertThat(reopened.hasJoined()).isTrue();
    assertThat(reopened.founding()).contains(founding);
    Path file = directory.resolve("joined");
    for (String text : new String[] {"", founding + "\n", founding + " 00000000\n", "x y z"}) {
      Files.writeString(file, text);
      assertThatThrownBy(() -> ReplicaRecords.open(directory))
          .as(text)
          .isInstanceOf(IOException.class)
          .hasMessageContaining(file + ", ")
          .hasMessageEndingWith(FileErrors.REMEDY);
    }
  }

  private void assertRefused(String what) {
    assertThatThrownBy(() -> ReplicaRecords.open(directory))
        .as(what)
        .isInstanceOf(IOException.class)
        .hasMessageContaining(directory.resolve("records") + ", ")
        .hasMessageEndingWith(FileErrors.REMEDY);
  }

  @Test
  void rowsAreGoneOfWhatHasBegunUntilTheReplicaIsRemoved() throws IOException {
    ReplicaRecords records = ReplicaRecords.open(directory);
    records.putAll(Map.of(ONE, JOINED, TWO, FOUNDED));
    records.add(ONE);
    assertThat(records.lost()).isEmpty();
    records.loseRows();
    ReplicaRecords reopened = ReplicaRecords.open(directory);
    assertThat(reopened.lost()).containsExactly(ONE);
    assertThat(reopened.contains(ONE)).isTrue();
    assertThat(reopened.of(ONE))
        .contains(new Assigned(JOINED.epoch(), JOINED.joinedBy(), true, true));
    assertThat(reopened.of(TWO)).contains(FOUNDED);
    reopened.delete(ONE);
    assertThat(ReplicaRecords.open(directory).lost()).isEmpty();
  }

  @Test
  void whatHasBegunIsRecordedUntilTheReplicaIsRemoved() throws IOException {
    ReplicaRecords records = ReplicaRecords.open(directory);
    records.put(ONE, FOUNDED);
    assertThat(records.contains(ONE)).isFalse();
    records.add(ONE);
    ReplicaRecords reopened = ReplicaRecords.open(directory);
    assertThat(reopened.contains(ONE)).isTrue();
    assertThat(reopened.hasBegunAny()).isTrue();
    reopened.delete(ONE);
    assertThat(ReplicaRecords.open(directory).hasBegunAny()).isFalse();
  }

  /** They are there from the first start on: none would be a node that has acknowledged nothing. */
  @Test
  void lostRecordsAreNoNewNode() throws IOException {
    Files.delete(directory.resolve("records"));
    assertRefused("no file");
    Files.delete(directory);
    assertRefused("no directory");
  }
}
