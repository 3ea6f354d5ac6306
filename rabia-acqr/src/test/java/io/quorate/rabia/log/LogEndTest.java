package io.quorate.rabia.log;

import static io.quorate.rabia.log.LogFixture.SMALL;
import static io.quorate.rabia.log.LogFixture.decided;
import static io.quorate.rabia.log.LogFixture.end;
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
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A log that is missing or lacks its last segments is refused, not read as new or shorter (P1). */
class LogEndTest {
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
        .hasMessageContaining("the file is missing");
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
    try (LogEnd end = new LogEnd(end(directory))) {
      end.begin(new LogEnd.Mark(4, 30));
    }
    assertThat(LogFixture.read(directory)).isEqualTo(records);
    Files.delete(LogFixture.lastSegment(directory));
    assertRefused();
  }

  @Test
  void openingALogOfAnEarlierVersionRecordsItsEnd() throws IOException {
    Files.delete(end(directory));
    assertThat(LogFixture.read(directory)).isEqualTo(records);
    Files.delete(LogFixture.lastSegment(directory));
    assertRefused();
  }

  @Test
  void aCorruptFileIsRefused() throws IOException {
    byte[] bytes = Files.readAllBytes(end(directory));
    bytes[12] ^= 1;
    Files.write(end(directory), bytes);
    assertThatThrownBy(() -> LogFixture.read(directory))
        .isInstanceOf(DamagedLogException.class)
        .hasMessageContaining("log.end");
  }

  /**
   * A process ends at once, and its newest segment loses its end, or has zeros there: whatever was
   * reported durable is recovered, or the log is refused as it is.
   */
  @Test
  void aCutAmongDurableRecordsIsRefusedAtEveryByte() throws IOException {
    List<LogRecord> last = List.of(decided(0), proposed(1, 40), decided(2), proposed(3, 600));
    Path log = root.resolve("cut");
    Path segment = log.resolve("segment-0000000001");
    byte[] written;
    byte[] mark;
    try (LogFixture running = new LogFixture(log, SMALL)) {
      for (LogRecord record : last) {
        running.awaitDurable(running.append(record));
      }
      written = Files.readAllBytes(segment);
      mark = Files.readAllBytes(end(log));
    }
    for (int length = written.length - 1; length >= 0; length--) {
      Files.write(end(log), mark);
      byte[] cut = Arrays.copyOf(written, length);
      assertRefused(log, segment, cut);
      if (length % 32 == 0) {
        assertRefused(log, segment, Arrays.copyOf(cut, written.length));
      }
    }
    Files.write(segment, written);
    assertThat(LogFixture.read(log)).isEqualTo(last);
  }

  private static void assertRefused(Path log, Path segment, byte[] content) throws IOException {
    Files.write(segment, content);
    assertThatThrownBy(() -> LogFixture.read(log))
        .isInstanceOf(DamagedLogException.class)
        .hasMessageContaining(segment.toString());
    assertThat(Files.readAllBytes(segment)).isEqualTo(content);
  }

  /**
   * A power loss leaves an earlier mark: cuts behind it are torn writes, cuts before it are not.
   */
  @Test
  void afterAPowerLossCutsBeforeTheMarkAreRefused() throws IOException {
    Path log = root.resolve("power");
    Path segment = log.resolve("segment-0000000001");
    List<LogRecord> all = new ArrayList<>();
    List<byte[]> segments = new ArrayList<>();
    List<byte[]> marks = new ArrayList<>();
    try (LogFixture running = new LogFixture(log, SMALL)) {
      for (int slot = 0; slot < 6; slot++) {
        segments.add(Files.readAllBytes(segment));
        marks.add(Files.readAllBytes(end(log)));
        all.add(proposed(slot, 200));
        running.awaitDurable(running.append(all.get(slot)));
      }
    }
    for (int marked = 0; marked < marks.size(); marked++) {
      for (int kept = 0; kept < segments.size(); kept++) {
        Files.write(segment, segments.get(kept));
        Files.write(end(log), marks.get(marked));
        if (kept < marked) {
          assertRefused(log, segment, segments.get(kept));
        } else {
          assertThat(LogFixture.read(log)).isEqualTo(all.subList(0, kept));
        }
      }
    }
  }

  /** A node whose start is interrupted, for example. */
  @Test
  void aLogWhoseEndCannotBeRecordedLeavesNoFileOpen() throws IOException {
    assertLeavesNoFileOpen(directory);
    assertLeavesNoFileOpen(root.resolve("fresh"));
  }

  private static void assertLeavesNoFileOpen(Path log) throws IOException {
    Path end = end(log);
    Path obstacle = Files.createDirectory(end.resolveSibling(end.getFileName() + ".new"));
    assertThatThrownBy(() -> LogFixture.read(log)).isInstanceOf(IOException.class);
    assertThat(OpenFiles.below(log)).isEmpty();
    Files.delete(obstacle);
    assertThatCode(() -> LogFixture.read(log)).doesNotThrowAnyException();
  }
}
