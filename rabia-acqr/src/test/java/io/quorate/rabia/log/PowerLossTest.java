package io.quorate.rabia.log;

import static io.quorate.rabia.log.LogFixture.SMALL;
import static io.quorate.rabia.log.LogFixture.decided;
import static io.quorate.rabia.log.LogFixture.proposed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.quorate.common.DamagedLogException;
import io.quorate.common.Failpoint;
import io.quorate.common.FillAhead;
import io.quorate.rabia.RabiaPoints;
import io.quorate.rabia.protocol.LogRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Recovery of a log after a power loss and after damage. */
class PowerLossTest {
  private static final int SECTOR = 512;

  @TempDir private Path parent;

  /** Of the log, with a file beside it. */
  private Path directory;

  @BeforeEach
  void useDirectory() {
    directory = parent.resolve("log");
  }

  @AfterEach
  void disableFailpoints() {
    Failpoint.known().forEach(Failpoint::off);
  }

  /**
   * The segment before and after one unsynced write, the recorded end of the log then, and the
   * number of records that had been reported durable before it.
   */
  private record Write(byte[] before, byte[] after, byte[] end, int durable) {}

  /** A log whose last records are in one group, which may or may not be on disk. */
  private final class Interrupted {
    private final Path log = directory.resolve("log");
    private final List<LogRecord> records = new ArrayList<>();
    private final Write write;

    /**
     * @param durable records that are each a group of their own
     * @param last records of one group
     */
    Interrupted(List<LogRecord> durable, List<LogRecord> last) throws Exception {
      LogFixture fixture = new LogFixture(log, LogFixture.ONE_GROUP);
      for (LogRecord record : durable) {
        fixture.awaitDurable(fixture.append(record));
      }
      LogFixture.await().until(LogFixture::isParked);
      byte[] before = Files.readAllBytes(segment());
      byte[][] after = new byte[2][];
      RabiaPoints.AFTER_WRITE.on(
          (at, subject) -> {
            after[0] = Files.readAllBytes(segment());
            after[1] = Files.readAllBytes(LogFixture.end(log));
          });
      last.forEach(record -> fixture.append(record, false));
      fixture.close();
      assertThat(fixture.reported()).hasSize(durable.size() + 1);
      write = new Write(before, after[0], after[1], durable.size());
      RabiaPoints.AFTER_WRITE.off();
      records.addAll(durable);
      records.addAll(last);
    }

    Path segment() {
      return log.resolve("segment-0000000001");
    }

    /** What the power loss has left. */
    void put(byte[] content) throws IOException {
      Files.write(segment(), content);
      Files.write(LogFixture.end(log), write.end());
    }

    List<LogRecord> reopened(byte[] content) throws Exception {
      put(content);
      List<LogRecord> found = LogFixture.read(log);
      assertThat(records).startsWith(found.toArray(LogRecord[]::new));
      assertThat(found).hasSizeGreaterThanOrEqualTo(write.durable());
      return found;
    }
  }

  @Test
  void anySectorsOfAnUnsyncedWriteLeaveAPrefix() throws Exception {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    Interrupted log =
        new Interrupted(
            List.of(decided(0), proposed(1, 300)),
            List.of(proposed(2, 700), decided(3), proposed(4, 5), proposed(5, 1500), decided(6)));
    byte[] before = log.write.before();
    byte[] after = log.write.after();
    int longest = 0;
    for (int round = 0; round < 300; round++) {
      int length = random.nextBoolean() ? after.length : before.length;
      byte[] mixed = Arrays.copyOf(before, length);
      for (int sector = 0; sector < length; sector += SECTOR) {
        if (random.nextInt(4) > 0) {
          System.arraycopy(after, sector, mixed, sector, Math.min(SECTOR, length - sector));
        }
      }
      try {
        List<LogRecord> found = log.reopened(mixed);
        longest = Math.max(longest, found.size());
        assertThat(LogFixture.read(log.log)).isEqualTo(found);
      } catch (Exception | AssertionError e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
    assertThat(longest).as("seed %d", seed).isGreaterThan(2);
  }

  @Test
  void aFileThatEndsAnywhereInAnUnsyncedWriteIsReadable() throws Exception {
    Interrupted log =
        new Interrupted(
            List.of(decided(0), proposed(1, 300)), List.of(proposed(2, 150), decided(3)));
    byte[] after = log.write.after();
    int end = endOfData(after);
    for (int length = endOfData(log.write.before()); length <= end; length++) {
      int found = log.reopened(Arrays.copyOf(after, length)).size();
      assertThat(found).as("%d bytes of %d", length, end).isLessThanOrEqualTo(length < end ? 3 : 4);
    }
    assertThat(log.reopened(after)).hasSize(4);
  }

  @Test
  void recordsAppendedAfterACutAreKept() throws Exception {
    Interrupted log = new Interrupted(List.of(decided(0)), List.of(proposed(1, 700), decided(2)));
    byte[] torn = Arrays.copyOf(log.write.after(), SECTOR * 4);
    Arrays.fill(torn, SECTOR * 2, SECTOR * 3, (byte) 0);
    assertThat(log.reopened(torn)).containsExactly(decided(0));
    try (LogFixture fixture = new LogFixture(log.log, SMALL)) {
      fixture.awaitDurable(fixture.append(decided(7)));
    }
    assertThat(LogFixture.read(log.log)).containsExactly(decided(0), decided(7));
  }

  @Test
  void zerosAheadOfTheRecordsAreNoTornWrite() throws Exception {
    Interrupted log = new Interrupted(List.of(decided(0)), List.of(proposed(1, 700), decided(2)));
    int end = endOfData(log.write.after());
    byte[] filled = Arrays.copyOf(log.write.after(), end + FillAhead.STEP_BYTES);
    assertThat(log.reopened(filled)).containsExactly(decided(0), proposed(1, 700), decided(2));
    assertThat(log.segment()).hasBinaryContent(filled);
    try (LogFixture fixture = new LogFixture(log.log, SMALL)) {
      fixture.awaitDurable(fixture.append(decided(7)));
    }
    assertThat(log.segment()).hasSize(filled.length);
    assertThat(LogFixture.read(log.log))
        .containsExactly(decided(0), proposed(1, 700), decided(2), decided(7));
  }

  /** Changes each byte of each record; a later write proves that the record was durable. */
  @Test
  void aChangedByteIsDamage() throws Exception {
    Interrupted log =
        new Interrupted(List.of(decided(0), proposed(1, 300), decided(2)), List.of(decided(3)));
    byte[] intact = log.write.after();
    for (int at = 0; at < endOfData(intact); at++) {
      if (at >= SegmentHeader.BYTES || isInTheHeader(intact, at)) {
        byte[] changed = intact.clone();
        changed[at] ^= 1 << at % 8;
        requireDamage(log, changed);
      }
    }
  }

  private static boolean isInTheHeader(byte[] segment, int at) {
    int endOfName = 53 + segment[52];
    // A wrong version has an error message of its own.
    return at < 8 || at >= 12 && at < endOfName;
  }

  private static void requireDamage(Interrupted log, byte[] content) throws Exception {
    log.put(content);
    assertThatThrownBy(() -> LogFixture.read(log.log))
        .isInstanceOf(DamagedLogException.class)
        .hasMessageContaining(log.segment().toString())
        .hasMessageContaining("at byte ");
    assertThat(Files.readAllBytes(log.segment())).isEqualTo(content);
  }

  /** No later write proves durability here, but an interrupted write changes no single byte. */
  @Test
  void aChangedByteOfTheLastWriteIsDamage() throws Exception {
    Interrupted log = new Interrupted(List.of(decided(0)), List.of(proposed(1, 300), decided(2)));
    byte[] intact = log.write.after();
    for (int at = endOfData(log.write.before()); at < endOfData(intact); at++) {
      byte[] changed = intact.clone();
      changed[at] ^= 1 << at % 8;
      requireDamage(log, changed);
    }
  }

  @Test
  void aCutIsLoggedWithFileAndByte() throws Exception {
    Interrupted log = new Interrupted(List.of(decided(0)), List.of(proposed(1, 300)));
    int end = endOfData(log.write.before());
    Logger logger = (Logger) LoggerFactory.getLogger(LogRecovery.class);
    ListAppender<ILoggingEvent> appender = new ListAppender<>();
    appender.start();
    logger.setLevel(Level.INFO);
    logger.addAppender(appender);
    try {
      log.reopened(Arrays.copyOf(log.write.after(), end + 100));
    } finally {
      logger.detachAppender(appender);
      logger.setLevel(null);
    }
    assertThat(appender.list)
        .singleElement()
        .extracting(ILoggingEvent::getFormattedMessage, InstanceOfAssertFactories.STRING)
        .contains(log.segment().toString())
        .contains("at byte ");
    assertThat(Files.size(log.segment())).isLessThan(end + 100);
  }

  /** The bytes read may be in the page cache only, which after a failed fsync marks them clean. */
  @Test
  void recordsThatMayNotBeOnDiskAreWrittenAgainWhenTheyAreRead() throws Exception {
    Interrupted log = new Interrupted(List.of(decided(0)), List.of(decided(1)));
    FileTime longAgo = FileTime.fromMillis(0);
    Files.setLastModifiedTime(log.segment(), longAgo);
    assertThat(LogFixture.read(log.log)).hasSize(2);
    assertThat(Files.getLastModifiedTime(log.segment())).isGreaterThan(longAgo);
  }

  @Test
  void aRecordIsValidOnlyAtItsOffsetInItsSegment() {
    ByteBuf written = Unpooled.buffer();
    int size = RecordFrame.append(decided(1), 7, 6, 2, 600, written);
    ByteBuffer file = ByteBuffer.allocate(2000);
    file.put(600, written.array(), 0, size).put(1300, written.array(), 0, size);
    assertThat(RecordFrame.at(600, file, 2)).get().matches(frame -> frame.isIntact(file));
    assertThat(RecordFrame.at(1300, file, 2)).isEmpty();
    assertThat(RecordFrame.at(600, file, 3)).isEmpty();
  }

  /** The write looks torn and would be cut if the next write had not followed an fsync. */
  @Test
  void aMissingSectorBeforeALaterWriteIsDamage() throws Exception {
    Interrupted log =
        new Interrupted(List.of(decided(0), proposed(1, 2000)), List.of(decided(2), decided(3)));
    byte[] incomplete = log.write.after().clone();
    Arrays.fill(incomplete, SECTOR * 3, SECTOR * 4, (byte) 0);
    requireDamage(log, incomplete);
    // Without it, the recorded end of the log proves the same.
    requireDamage(log, Arrays.copyOf(incomplete, endOfData(log.write.before())));
  }

  @Test
  void damageInAnOlderSegmentIsNeverATornEnd() throws Exception {
    try (LogFixture fixture = new LogFixture(directory, SMALL)) {
      for (int slot = 0; slot < 12; slot++) {
        fixture.awaitDurable(fixture.append(proposed(slot, 900)));
      }
    }
    Path first = directory.resolve("segment-0000000001");
    byte[] intact = Files.readAllBytes(first);
    int end = endOfData(intact);
    List<byte[]> damaged = new ArrayList<>();
    damaged.add(Arrays.copyOf(intact, end - 10));
    damaged.add(Arrays.copyOf(intact, 700));
    damaged.add(Arrays.copyOf(intact, 100));
    byte[] incomplete = intact.clone();
    Arrays.fill(incomplete, end - 300, end, (byte) 0);
    damaged.add(incomplete);
    byte[] more = Arrays.copyOf(intact, end + 100);
    more[end + 50] = 1;
    damaged.add(more);
    for (byte[] content : damaged) {
      Files.write(first, content);
      assertThatThrownBy(() -> LogFixture.read(directory))
          .isInstanceOf(DamagedLogException.class)
          .hasMessageContaining(first.toString());
    }
    Files.write(first, intact);
    assertThat(LogFixture.read(directory)).hasSize(12);
    Files.delete(first);
    Path second = directory.resolve("segment-0000000002");
    byte[] moved = Files.readAllBytes(second);
    Files.write(first, moved);
    assertThatThrownBy(() -> LogFixture.read(directory))
        .isInstanceOf(DamagedLogException.class)
        .hasMessageContaining("written as segment 2");
  }

  @Test
  void aMissingSegmentIsDamage() throws Exception {
    try (LogFixture fixture = new LogFixture(directory, SMALL)) {
      for (int slot = 0; slot < 30; slot++) {
        fixture.awaitDurable(fixture.append(proposed(slot, 900)));
      }
    }
    Files.delete(directory.resolve("segment-0000000002"));
    assertThatThrownBy(() -> LogFixture.read(directory))
        .isInstanceOf(DamagedLogException.class)
        .hasMessageContaining("segment-0000000002");
  }

  @Test
  void anUnfinishedSegmentIsDeleted() throws Exception {
    try (LogFixture fixture = new LogFixture(directory, SMALL)) {
      fixture.awaitDurable(fixture.append(decided(1)));
    }
    Path unfinished = directory.resolve("segment-0000000002.new");
    Files.write(unfinished, new byte[100]);
    assertThat(LogFixture.read(directory)).containsExactly(decided(1));
    assertThat(unfinished).doesNotExist();
  }

  /** The records of these tests do not end with zeros. */
  private static int endOfData(byte[] segment) {
    int end = segment.length;
    while (segment[end - 1] == 0) {
      end--;
    }
    return end;
  }
}
