package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.common.DurableFiles;
import io.quorate.server.config.StartupException;
import io.quorate.server.node.directory.DataDirectory;
import io.quorate.server.node.directory.DataIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A data directory whose log is in a directory of its own. */
class LogDirectoryTest {
  @TempDir private Path parent;

  private Path data;
  private Path log;

  @BeforeEach
  void name() {
    data = parent.resolve("data");
    log = parent.resolve("log");
  }

  private static DataIdentity identity(String node, boolean separate) {
    Map<String, String> choices = new HashMap<>(Map.of("engine", "raft"));
    if (separate) {
      choices.put("log", "separate");
    }
    return new DataIdentity("c1", node, DataIdentity.FORMAT, choices);
  }

  private static DataDirectory open(Path data, Path log, String node) {
    return DataDirectory.open(data, Optional.of(log), identity(node, true));
  }

  private UUID use(Path data, Path log, String node) throws IOException {
    try (DataDirectory directory = open(data, log, node)) {
      assertThat(directory.consensus()).isDirectory().startsWith(log);
      assertThat(directory.storage()).isDirectory().startsWith(data);
      assertThat(directory.logRoot()).isEqualTo(log);
      assertThat(directory.freeLogBytes()).isPositive();
      Files.writeString(directory.consensus().resolve("entries"), "acknowledged");
      return directory.disk();
    }
  }

  private void assertRejected(Path data, Path log, String node, String... parts) {
    assertThatThrownBy(() -> open(data, log, node))
        .isInstanceOf(StartupException.class)
        .hasMessageContainingAll(parts)
        .message()
        .endsWith(".")
        .doesNotContain("\n");
  }

  @Test
  void bothDirectoriesBelongTogether() throws IOException {
    UUID disk = use(data, log, "n1");
    assertThat(use(data, log, "n1")).isEqualTo(disk);
    assertThat(data.resolve("consensus")).doesNotExist();

    Path otherData = parent.resolve("other-data");
    Path otherLog = parent.resolve("other-log");
    use(otherData, otherLog, "n1");
    assertRejected(data, otherLog, "n1", "Log directory " + otherLog, "another data directory");
    assertThat(use(data, log, "n1")).isEqualTo(disk);
  }

  @Test
  void theLogOfAnotherNodeIsRejected() throws IOException {
    use(data, log, "n1");
    Path otherData = parent.resolve("other-data");
    Path otherLog = parent.resolve("other-log");
    use(otherData, otherLog, "n2");

    assertRejected(data, otherLog, "n1", otherLog + " (node.log) belongs to node \"n2\"");
    assertRejected(otherData, log, "n2", log + " (node.log) belongs to node \"n1\"");
  }

  @Test
  void anEmptiedLogDirectoryIsRejected() throws IOException {
    use(data, log, "n1");
    DurableFiles.deleteTree(log);

    assertRejected(
        data, log, "n1", log + " (node.log) has no identity", "empty the directories of this node");
    assertThat(log.resolve("identity")).doesNotExist();

    // Both are lost then, as the message demands.
    DurableFiles.deleteTree(data);
    use(data, log, "n1");
  }

  @Test
  void anEmptiedDataDirectoryIsRejected() throws IOException {
    UUID disk = use(data, log, "n1");
    DurableFiles.deleteTree(data);

    assertRejected(
        data, log, "n1", log + " (node.log) holds a log", data + " (node.data) is empty");
    assertThat(data.resolve("identity")).doesNotExist();

    DurableFiles.deleteTree(log);
    assertThat(use(data, log, "n1")).isNotEqualTo(disk);
  }

  @Test
  void theLogStaysWhereItWasAtFirst() throws IOException {
    use(data, log, "n1");
    assertThatThrownBy(() -> DataDirectory.open(data, Optional.empty(), identity("n1", false)))
        .isInstanceOf(StartupException.class)
        .hasMessageContaining("has its log in another directory; name that one by node.log.");

    Path together = parent.resolve("together");
    DataDirectory.open(together, Optional.empty(), identity("n1", false)).close();
    Path empty = parent.resolve("empty");
    assertRejected(together, empty, "n1", "contains its log; remove node.log");
  }

  @Test
  void aLogDirectoryWithForeignFilesIsRejectedUnchanged() throws IOException {
    Files.createDirectories(log);
    Files.writeString(log.resolve("diary.txt"), "dear diary");

    assertRejected(data, log, "n1", log + " (node.log) holds files but no identity");
    assertThat(data.resolve("identity")).doesNotExist();
    Files.delete(log.resolve("diary.txt"));
    use(data, log, "n1");
  }

  /** The identity of the log is written before that of the data. */
  @Test
  void anInterruptedFirstStartIsRepeated() throws IOException {
    use(parent.resolve("first-data"), parent.resolve("first-log"), "n1");
    Files.createDirectories(log);
    Files.copy(parent.resolve("first-log").resolve("identity"), log.resolve("identity"));

    UUID disk = use(data, log, "n1");

    assertThat(use(data, log, "n1")).isEqualTo(disk);
  }

  @Test
  void eachDirectoryIsUsedByOneProcessAtATime() throws IOException {
    try (DataDirectory held = open(data, log, "n1")) {
      assertThat(held.consensus()).exists();
      Path otherData = parent.resolve("other-data");
      assertRejected(otherData, log, "n1", log + " (node.log) is in use");
      assertRejected(data, parent.resolve("other-log"), "n1", data + " (node.data) is in use");
      // A failure releases the directory that was locked before.
      assertThat(DataDirectory.isInUse(otherData)).isFalse();
    }
    use(data, log, "n1");
  }
}
