package io.quorate.replication.log;

import static io.quorate.replication.log.SharedLogFixture.A;
import static io.quorate.replication.log.SharedLogFixture.B;
import static io.quorate.replication.log.SharedLogFixture.LARGE;
import static io.quorate.replication.log.SharedLogFixture.entries;
import static io.quorate.replication.log.SharedLogFixture.fill;
import static io.quorate.replication.log.SharedLogFixture.segment;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.quorate.common.DurableEnd;
import io.quorate.model.Position;
import io.quorate.replication.log.segment.RecordType;
import io.quorate.replication.log.segment.ScannedSegment.Piece;
import io.quorate.replication.log.segment.SegmentStart;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What was being written is cut or written again; what was proven durable is damage. */
class TornLogTest extends DamagedLogFixture {
  private static final int SECTOR = 512;

  /** Values of zeros look like sectors that were not written. */
  @Test
  void aTornWriteOfZerosIsCut() throws Exception {
    CrashImages images = new CrashImages(parent);
    Path crashed = parent.resolve("crashed");
    try (SharedLogFixture fixture = new SharedLogFixture(parent, LARGE)) {
      GroupLog a = fixture.create(A);
      fill(a, 3, 100);
      fill(fixture.create(B), 1, 10);
      LogPoints.BEFORE_SYNC.on((at, subject) -> images.killed(crashed));
      a.appendEntry(new Position(1, 3), new byte[3000], null);
      a.flush();
      SharedLogFixture.await().until(() -> a.durable() == 5);
    }
    disableFailpoints();
    Path file = segment(crashed, 1);
    Piece torn = find(file, record(A, RecordType.ENTRY), 3);
    for (int end = torn.from() + 10; end < torn.to(); end += 100) {
      Path copy = parent.resolve("copy-" + end);
      SharedLogFixture.copy(crashed, copy);
      truncate(segment(copy, 1), end);
      try (SharedLogFixture fixture = new SharedLogFixture(copy, LARGE)) {
        assertThat(entries(fixture.open(A))).hasSize(3);
        assertThat(entries(fixture.open(B))).hasSize(1);
      }
      assertThat(segment(copy, 1)).hasSize(torn.from());
    }
  }

  @Test
  void aCutIsLoggedWithFileAndByte() throws Exception {
    writeThreeGroups();
    Path file = segment(parent, 1);
    Piece last = find(file, record(B, RecordType.ENTRY), 9);
    truncate(file, last.from() + 20);
    Files.write(DurableEnd.file(SharedLogFixture.end(parent)), markOf(1, SegmentStart.BYTES));
    Logger logger = (Logger) LoggerFactory.getLogger(SharedLogRecovery.class);
    ListAppender<ILoggingEvent> appender = new ListAppender<>();
    appender.start();
    logger.setLevel(Level.INFO);
    logger.addAppender(appender);
    try {
      assertThat(damaged()).isEmpty();
    } finally {
      logger.detachAppender(appender);
      logger.setLevel(null);
    }
    assertThat(appender.list)
        .singleElement()
        .extracting(ILoggingEvent::getFormattedMessage, InstanceOfAssertFactories.STRING)
        .contains(file.toString())
        .contains("at byte " + last.from());
  }

  /** What may be in the memory of the operating system only is written again. */
  @Test
  void whatNothingProvesIsWrittenAgain() throws Exception {
    writeThreeGroups();
    Path file = segment(parent, 1);
    int end = pieces(file).stream().filter(Piece::isIntact).mapToInt(Piece::to).max().orElseThrow();
    FileTime longAgo = FileTime.fromMillis(0);
    Files.setLastModifiedTime(file, longAgo);
    Files.write(DurableEnd.file(SharedLogFixture.end(parent)), markOf(1, SegmentStart.BYTES));
    assertThat(damaged()).isEmpty();
    assertThat(Files.getLastModifiedTime(file)).isGreaterThan(longAgo);
    assertThat(file).hasSize(end);
  }

  /** Sectors of a synced write turned to zeros, and a later record states that it was synced. */
  @Test
  void missingSectorsBeforeALaterWriteAreDamage() throws Exception {
    try (SharedLogFixture fixture = new SharedLogFixture(parent, LARGE)) {
      GroupLog a = fixture.create(A);
      fill(a, 1, 2000);
      fill(a, 1, 10);
    }
    Path file = segment(parent, 1);
    // As after a power loss: the mark is that of the beginning.
    Files.write(DurableEnd.file(SharedLogFixture.end(parent)), markOf(1, SegmentStart.BYTES));
    zero(file, SECTOR * 3, SECTOR * 4);
    assertThat(damaged()).containsExactly(A);
  }

  @Test
  void anUnfinishedSegmentIsDeleted() throws Exception {
    writeThreeGroups();
    Path unfinished = SharedLogFixture.directory(parent).resolve("00000002.new");
    Files.write(unfinished, new byte[100]);
    assertThat(damaged()).isEmpty();
    assertThat(unfinished).doesNotExist();
  }
}
