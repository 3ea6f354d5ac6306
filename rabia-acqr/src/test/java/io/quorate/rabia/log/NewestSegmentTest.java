package io.quorate.rabia.log;

import static io.quorate.rabia.log.LogFixture.SMALL;
import static io.quorate.rabia.log.LogFixture.newestSegment;
import static io.quorate.rabia.log.LogFixture.proposed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.common.DamagedLogException;
import io.quorate.common.DurableFiles;
import io.quorate.common.OpenFiles;
import io.quorate.rabia.protocol.LogRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A log that is missing or lacks its last segments is refused, not read as new or shorter (P1). */
class NewestSegmentTest {
  @TempDir Path root;

  private final List<LogRecord> records = new ArrayList<>();
  private Path directory;

  @BeforeEach
  void fillSegments() throws IOException {
    directory = root.resolve("log");
    for (int slot = 0; slot < 40; slot++) {
      records.add(proposed(slot, 1_000));
    }
    try (LogFixture log = new LogFixture(directory, SMALL)) {
      for (LogRecord record : records) {
        log.awaitDurable(log.append(record));
      }
    }
    assertThat(LogFixture.lastSegment(directory)).hasFileName("segment-0000000005");
  }

  private void assertRefused() {
    assertThatThrownBy(() -> LogFixture.read(directory))
        .isInstanceOf(DamagedLogException.class)
        .hasMessageContaining("segment-0000000005")
        .hasMessageContaining("the file is missing")
        .hasMessageContaining("replace the replica");
  }

  @Test
  void aMissingLogDirectoryIsRefused() throws IOException {
    DurableFiles.deleteTree(directory);
    assertRefused();
    // The first refusal has left an empty directory, which is refused as well.
    assertRefused();
  }

  @Test
  void aMissingLastSegmentIsRefused() throws IOException {
    Files.delete(LogFixture.lastSegment(directory));
    assertRefused();
  }

  @Test
  void aSegmentThatIsNewerThanTheRecordedOneIsRead() throws IOException {
    new NewestSegment(newestSegment(directory)).note(4);
    assertThat(LogFixture.read(directory)).isEqualTo(records);
    Files.delete(LogFixture.lastSegment(directory));
    assertRefused();
  }

  @Test
  void openingALogOfAnEarlierVersionRecordsItsNewestSegment() throws IOException {
    Files.delete(newestSegment(directory));
    assertThat(LogFixture.read(directory)).isEqualTo(records);
    Files.delete(LogFixture.lastSegment(directory));
    assertRefused();
  }

  @Test
  void aCorruptNewestSegmentFileIsRefused() throws IOException {
    byte[] bytes = Files.readAllBytes(newestSegment(directory));
    bytes[12] ^= 1;
    Files.write(newestSegment(directory), bytes);
    assertThatThrownBy(() -> LogFixture.read(directory))
        .isInstanceOf(DamagedLogException.class)
        .hasMessageContaining("newest-segment");
  }

  /** A node whose start is interrupted, for example. */
  @Test
  void aLogWhoseNewestSegmentCannotBeRecordedLeavesNoFileOpen() throws IOException {
    assertLeavesNoFileOpen(directory);
    assertLeavesNoFileOpen(root.resolve("fresh"));
  }

  private static void assertLeavesNoFileOpen(Path log) throws IOException {
    Path newest = newestSegment(log);
    Path obstacle = Files.createDirectory(newest.resolveSibling(newest.getFileName() + ".new"));
    assertThatThrownBy(() -> LogFixture.read(log)).isInstanceOf(IOException.class);
    assertThat(OpenFiles.below(log)).isEmpty();
    Files.delete(obstacle);
    assertThatCode(() -> LogFixture.read(log)).doesNotThrowAnyException();
  }
}
