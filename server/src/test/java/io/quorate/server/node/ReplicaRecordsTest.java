package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.client.RegionEpoch;
import io.quorate.consensus.GroupId;
import io.quorate.server.node.ReplicaRecords.Assigned;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReplicaRecordsTest {
  private static final GroupId ONE = new GroupId(1);
  private static final GroupId TWO = new GroupId(20);
  private static final Assigned FOUNDED = new Assigned(RegionEpoch.FIRST, 0);
  private static final Assigned JOINED = new Assigned(new RegionEpoch(7), 5);

  @TempDir Path directory;

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

  /** Each record was a file, of one number or two. */
  @Test
  void recordsOfAFormerVersionAreTaken() throws IOException {
    Files.writeString(directory.resolve("1"), "1\n");
    Files.writeString(directory.resolve("20"), "7 5\n");
    Files.createFile(directory.resolve("joined"));
    for (int start = 0; start < 2; start++) {
      ReplicaRecords records = ReplicaRecords.open(directory);
      assertThat(records.hasJoined()).isTrue();
      assertThat(records.of(ONE)).contains(FOUNDED);
      assertThat(records.of(TWO)).contains(JOINED);
    }
    assertThat(directory.resolve("1")).doesNotExist();
  }

  /** What has changed since then is in the new file alone. */
  @Test
  void filesOfAFormerVersionThatACrashHasLeftDoNotCount() throws IOException {
    Files.writeString(directory.resolve("1"), "1\n");
    ReplicaRecords.open(directory).put(ONE, JOINED);
    Files.writeString(directory.resolve("1"), "1\n");
    assertThat(ReplicaRecords.open(directory).of(ONE)).contains(JOINED);
    assertThat(directory.resolve("1")).doesNotExist();
  }

  @Test
  void aDamagedRecordIsReported() throws IOException {
    Path former = Files.writeString(directory.resolve("1"), "first");
    assertThatThrownBy(() -> ReplicaRecords.open(directory))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(former + " is damaged");
    Files.delete(former);
    for (String line : new String[] {"1", "", "1 x 0", "one 1 0", "replicas 2 0\n1 1 0"}) {
      Path records = Files.writeString(directory.resolve("records"), line + "\n");
      assertThatThrownBy(() -> ReplicaRecords.open(directory))
          .as(line)
          .isInstanceOf(IOException.class)
          .hasMessageContaining(records + " is damaged");
    }
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

  /** An empty file, or none, would be a node that has acknowledged nothing. */
  @Test
  void lostRecordsAreNoNewNode() throws IOException {
    ReplicaRecords records = ReplicaRecords.open(directory);
    records.put(ONE, FOUNDED);
    records.join();
    Path file = directory.resolve("records");
    Files.writeString(file, "");
    assertThatThrownBy(() -> ReplicaRecords.open(directory))
        .hasMessageContaining(file + " is damaged");
    Files.delete(file);
    assertThatThrownBy(() -> ReplicaRecords.open(directory))
        .hasMessageContaining(file + " is damaged");
  }
}
