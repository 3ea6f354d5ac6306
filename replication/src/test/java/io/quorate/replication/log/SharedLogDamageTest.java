package io.quorate.replication.log;

import static io.quorate.replication.log.SharedLogFixture.A;
import static io.quorate.replication.log.SharedLogFixture.B;
import static io.quorate.replication.log.SharedLogFixture.C;
import static io.quorate.replication.log.SharedLogFixture.LARGE;
import static io.quorate.replication.log.SharedLogFixture.append;
import static io.quorate.replication.log.SharedLogFixture.awaitDurable;
import static io.quorate.replication.log.SharedLogFixture.entries;
import static io.quorate.replication.log.SharedLogFixture.fill;
import static io.quorate.replication.log.SharedLogFixture.segment;
import static io.quorate.replication.log.SharedLogFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.quorate.common.DamagedLogException;
import io.quorate.common.DurableEnd;
import io.quorate.common.Failpoint;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.replication.log.segment.DamagedRecordException;
import io.quorate.replication.log.segment.LogOwner;
import io.quorate.replication.log.segment.RecordHead;
import io.quorate.replication.log.segment.RecordType;
import io.quorate.replication.log.segment.ScannedSegment;
import io.quorate.replication.log.segment.ScannedSegment.Piece;
import io.quorate.replication.log.segment.SegmentStart;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** What is damaged concerns the groups that may have lost something, and no other. */
class SharedLogDamageTest {
  private static final int SECTOR = 512;

  @TempDir private Path parent;

  @AfterEach
  void disableFailpoints() {
    Failpoint.known().forEach(Failpoint::off);
  }

  /** Opens the log and returns the damaged groups. */
  private Set<GroupId> damaged() throws IOException {
    try (SharedLogFixture fixture = new SharedLogFixture(parent, LARGE)) {
      Set<GroupId> damaged = new TreeSet<>();
      for (GroupId group : fixture.log.groups()) {
        fixture.log.damage(group).ifPresent(damage -> damaged.add(group));
      }
      return damaged;
    }
  }

  private static List<Piece> pieces(Path file) throws IOException {
    SegmentStart start = SegmentStart.read(file).orElseThrow();
    return new ArrayList<>(
        ScannedSegment.load(file, new ScannedSegment.Memory())
            .pieces(start.salt(), start.number()));
  }

  private static Predicate<RecordHead> record(GroupId group, int type) {
    return head -> head.group() == group.value() && head.type() == type;
  }

  private static Piece find(Path file, Predicate<RecordHead> wanted, int skip) throws IOException {
    return pieces(file).stream()
        .filter(piece -> piece.head().filter(wanted).isPresent())
        .skip(skip)
        .findFirst()
        .orElseThrow();
  }

  private static void flip(Path file, int at) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[at] ^= 4;
    Files.write(file, bytes);
  }

  private static void zero(Path file, int from, int to) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    Arrays.fill(bytes, from, to, (byte) 0);
    Files.write(file, bytes);
  }

  private static void truncate(Path file, int length) throws IOException {
    Files.write(file, Arrays.copyOf(Files.readAllBytes(file), length));
  }

  /** Two groups whose records alternate, and one that was idle since; in one segment. */
  private void writeThreeGroups() throws IOException {
    try (SharedLogFixture fixture = new SharedLogFixture(parent, LARGE)) {
      GroupLog a = fixture.create(A);
      GroupLog b = fixture.create(B);
      GroupLog c = fixture.create(C);
      fill(c, 2, 40);
      for (int i = 0; i < 10; i++) {
        fill(a, 1, 100);
        fill(b, 1, 100);
      }
    }
  }

  @Test
  void aDamagedPayloadConcernsItsGroup() throws Exception {
    writeThreeGroups();
    Piece third = find(segment(parent, 1), record(A, RecordType.ENTRY), 3);
    flip(segment(parent, 1), third.from() + RecordHead.BYTES + 7);
    try (SharedLogFixture fixture = new SharedLogFixture(parent, LARGE)) {
      assertThatThrownBy(() -> fixture.open(A))
          .isInstanceOf(DamagedGroupException.class)
          .hasMessageContaining(segment(parent, 1).toString())
          .hasMessageContaining("at byte " + third.from());
      assertThat(entries(fixture.open(B))).hasSize(10);
      assertThat(entries(fixture.open(C))).hasSize(2);
    }
  }

  /** Nobody can tell whose the record was, but those whose records are all there. */
  @Test
  void aDamagedHeadConcernsThoseThatMayHaveLostIt() throws Exception {
    writeThreeGroups();
    flip(segment(parent, 1), find(segment(parent, 1), record(A, RecordType.ENTRY), 3).from() + 5);
    assertThat(damaged()).containsExactly(A, C);
  }

  @Test
  void damageStaysAtFurtherStartsUntilTheGroupIsRemoved() throws Exception {
    writeThreeGroups();
    flip(segment(parent, 1), find(segment(parent, 1), record(A, RecordType.ENTRY), 3).from() + 5);
    assertThat(damaged()).containsExactly(A, C);
    assertThat(damaged()).containsExactly(A, C);
    try (SharedLogFixture fixture = new SharedLogFixture(parent, LARGE)) {
      fixture.log.remove(C, Runnable::run).get(20, TimeUnit.SECONDS);
      fill(fixture.create(C), 3, 10);
      fill(fixture.open(B), 1, 10);
    }
    assertThat(damaged()).containsExactly(A);
    try (SharedLogFixture fixture = new SharedLogFixture(parent, LARGE)) {
      assertThat(entries(fixture.open(C))).hasSize(3);
      fixture.log.remove(A, Runnable::run).get(20, TimeUnit.SECONDS);
    }
    assertThat(damaged()).isEmpty();
  }

  @Test
  void whatIsBelowTheLowWaterMarkMayBeDamaged() throws Exception {
    writeThreeGroups();
    try (SharedLogFixture fixture = new SharedLogFixture(parent, LARGE)) {
      release(fixture.open(A), 6);
      release(fixture.open(C), 2);
    }
    flip(segment(parent, 1), find(segment(parent, 1), record(A, RecordType.ENTRY), 3).from() + 5);
    assertThat(damaged())
        .as("nothing before the bases of segment 2 is live but 6 to 9")
        .containsExactly(A);
    try (SharedLogFixture fixture = new SharedLogFixture(parent, LARGE)) {
      assertThat(entries(fixture.open(C))).isEmpty();
    }
  }

  /** A base states all but entries, and these are below the mark. */
  @Test
  void aGroupWithoutLiveEntriesIsNotConcerned() throws Exception {
    writeThreeGroups();
    try (SharedLogFixture fixture = new SharedLogFixture(parent, LARGE)) {
      release(fixture.open(A), 10);
      fill(fixture.open(A), 2, 10);
    }
    flip(segment(parent, 1), find(segment(parent, 1), record(A, RecordType.ENTRY), 3).from() + 5);
    assertThat(damaged()).isEmpty();
    try (SharedLogFixture fixture = new SharedLogFixture(parent, LARGE)) {
      assertThat(entries(fixture.open(A))).hasSize(2);
    }
  }

  @Test
  void aLostTruncationIsNoticed() throws Exception {
    try (SharedLogFixture fixture = new SharedLogFixture(parent, LARGE)) {
      GroupLog a = fixture.create(A);
      fill(a, 10, 50);
      a.truncate(7);
      append(a, 2, 7, 50);
      append(a, 2, 8, 50);
      fill(a, 1, 50);
      awaitDurable(a, append(a, 3, 10, 20));
    }
    Piece truncation = find(segment(parent, 1), record(A, RecordType.TRUNCATED), 0);
    Piece last = find(segment(parent, 1), head -> head.at().epoch() == 2, 1);
    zero(segment(parent, 1), truncation.from(), last.to());
    assertThat(damaged()).containsExactly(A);
  }

  /** Positions are gapless without it. */
  @Test
  void aLostTruncationWithAllThatReplacedIsNoticed() throws Exception {
    try (SharedLogFixture fixture = new SharedLogFixture(parent, LARGE)) {
      GroupLog a = fixture.create(A);
      fill(a, 10, 50);
      a.truncate(7);
      for (int i = 7; i < 10; i++) {
        append(a, 2, i, 50);
      }
      awaitDurable(a, append(a, 2, 10, 20));
    }
    Piece truncation = find(segment(parent, 1), record(A, RecordType.TRUNCATED), 0);
    Piece last = find(segment(parent, 1), head -> head.at().epoch() == 2, 2);
    zero(segment(parent, 1), truncation.from(), last.to());
    assertThat(damaged()).containsExactly(A);
  }

  @Test
  void aLostVoteIsNoticedUnlessALaterOneIsThere() throws Exception {
    try (SharedLogFixture fixture = new SharedLogFixture(parent, LARGE)) {
      GroupLog a = fixture.create(A);
      GroupLog b = fixture.create(B);
      for (GroupLog each : List.of(a, b)) {
        awaitDurable(each, putVote(each, "term 1"));
        fill(each, 1, 20);
      }
      awaitDurable(b, putVote(b, "term 2"));
      fill(a, 1, 20);
    }
    for (GroupId group : List.of(A, B)) {
      Piece vote = find(segment(parent, 1), record(group, RecordType.state(0)), 0);
      flip(segment(parent, 1), vote.from() + RecordHead.BYTES);
    }
    // Both were stated by the bases of the next segment; that one is not there yet.
    assertThat(damaged()).containsExactly(A);
  }

  private static void release(GroupLog group, long mark) throws IOException {
    long number = group.release(mark);
    group.flush();
    awaitDurable(group, number);
  }

  static long putVote(GroupLog group, String vote) throws IOException {
    long number = group.putState(0, text(vote));
    group.flush();
    return number;
  }

  @Test
  void aMissingNewestSegmentConcernsAllGroups() throws Exception {
    writeThreeGroups();
    try (SharedLogFixture fixture = new SharedLogFixture(parent, LARGE)) {
      fill(fixture.open(A), 1, 10);
    }
    Files.delete(segment(parent, 2));
    assertThat(damaged()).containsExactly(A, B, C);
    assertThat(SharedLogFixture.segments(parent)).contains(3).doesNotContain(2);
  }

  @Test
  void aMissingLogIsNotTakenForANewOne() throws Exception {
    writeThreeGroups();
    Files.delete(segment(parent, 1));
    assertThatThrownBy(this::damaged)
        .isInstanceOf(DamagedLogException.class)
        .hasMessageContaining("00000001.log");
    Files.delete(SharedLogFixture.directory(parent));
    assertThatThrownBy(this::damaged)
        .isInstanceOf(DamagedLogException.class)
        .hasMessageContaining(SharedLogFixture.directory(parent).toString());
    assertThat(SharedLogFixture.directory(parent)).doesNotExist();
  }

  @Test
  void aLogWithoutTheFileBesideItIsRefused() throws Exception {
    writeThreeGroups();
    Path mark = DurableEnd.file(SharedLogFixture.end(parent));
    byte[] stated = Files.readAllBytes(mark);
    Files.delete(mark);
    assertThatThrownBy(this::damaged)
        .isInstanceOf(DamagedLogException.class)
        .hasMessageContaining(mark.toString());
    stated[9] ^= 1;
    Files.write(mark, stated);
    assertThatThrownBy(this::damaged).isInstanceOf(DamagedLogException.class);
  }

  @Test
  void aLogOfAnotherNodeIsRefused() throws Exception {
    writeThreeGroups();
    LogOwner other = new LogOwner(new UUID(1, 2), new NodeId("n2"));
    assertThatThrownBy(
            () ->
                SharedLog.open(
                    SharedLogFixture.directory(parent), SharedLogFixture.end(parent), other, LARGE))
        .isInstanceOf(DamagedLogException.class)
        .hasMessageContaining("node n1")
        .hasMessageContaining("node n2");
  }

  @Test
  void aSegmentOfAnotherLogIsRefused() throws Exception {
    Path here = parent.resolve("here");
    Path there = parent.resolve("there");
    for (Path each : List.of(here, there)) {
      try (SharedLogFixture fixture = new SharedLogFixture(each, LARGE)) {
        fill(fixture.create(A), 1, 10);
      }
      new SharedLogFixture(each, LARGE).close();
    }
    Path file = segment(here, 2);
    Files.copy(segment(there, 2), file, StandardCopyOption.REPLACE_EXISTING);
    assertThatThrownBy(() -> new SharedLogFixture(here, LARGE))
        .isInstanceOf(DamagedLogException.class)
        .hasMessageContaining("of two logs");
  }

  /** The log is shorter than what was acknowledged; the kill of a process leaves the mark exact. */
  @Test
  void aLogThatLostItsEndIsDamaged() throws Exception {
    writeThreeGroups();
    Path file = segment(parent, 1);
    truncate(file, find(file, record(B, RecordType.ENTRY), 8).from() + 60);
    assertThat(damaged()).containsExactly(A, B, C);
    assertThat(damaged()).as("when the end is that of a later segment").containsExactly(A, B, C);
  }

  @Test
  void aHoleThatTheMarkProvesIsDamage() throws Exception {
    writeThreeGroups();
    Path file = segment(parent, 1);
    Piece last = find(file, record(B, RecordType.ENTRY), 9);
    zero(file, last.from(), last.to());
    assertThat(damaged()).containsExactly(A, B, C);
  }

  /** Three segments and more: two groups write, one has written in the first one only. */
  private void writeSegments() throws IOException {
    try (SharedLogFixture fixture = new SharedLogFixture(parent)) {
      GroupLog a = fixture.create(A);
      GroupLog b = fixture.create(B);
      GroupLog c = fixture.create(C);
      fill(c, 2, 40);
      for (int i = 0; i < 10; i++) {
        fill(a, 1, 500);
        fill(b, 1, 400);
      }
      awaitDurable(a, putVote(a, "term 5"));
    }
    assertThat(SharedLogFixture.segments(parent)).containsExactly(1, 2, 3);
  }

  @Test
  void aMissingSegmentInTheMiddleConcernsWhoWroteThere() throws Exception {
    writeSegments();
    Files.delete(segment(parent, 2));
    // What idle groups had is stated by the bases of segment 3 as well.
    assertThat(damaged()).containsExactly(A, B);
  }

  @Test
  void aMissingOldestSegmentIsNoticed() throws Exception {
    writeSegments();
    Files.delete(segment(parent, 1));
    assertThat(damaged()).containsExactly(A, B, C);
  }

  /** Events have gaps anyway. */
  @Test
  void aMissingOldestSegmentConcernsEvents() throws Exception {
    try (SharedLogFixture fixture = new SharedLogFixture(parent)) {
      GroupLog events = fixture.create(A);
      for (int slot = 0; slot < 5; slot++) {
        events.appendEvent(1, new Position(1, slot), text("event"), true);
      }
      fill(fixture.create(B), 20, 400);
      fill(fixture.create(C), 1, 10);
    }
    Files.delete(segment(parent, 1));
    assertThat(damaged()).containsExactly(A, B);
  }

  /** A value may be a part of a log. */
  @Test
  void noBytesOfAValueAreARecord() throws Exception {
    writeThreeGroups();
    byte[] log = Files.readAllBytes(segment(parent, 1));
    try (SharedLogFixture fixture = new SharedLogFixture(parent, LARGE)) {
      GroupLog a = fixture.open(A);
      long number = a.appendEntry(new Position(2, 10), log);
      a.flush();
      awaitDurable(a, number);
    }
    Path file = segment(parent, 2);
    Piece entry = find(file, record(A, RecordType.ENTRY), 0);
    flip(file, entry.from() + 2);
    assertThat(pieces(file))
        .filteredOn(piece -> piece.from() >= entry.from())
        .singleElement()
        .matches(piece -> piece.head().isEmpty());
  }

  @Test
  void aShortSegmentInTheMiddleIsDamage() throws Exception {
    writeSegments();
    Piece last = find(segment(parent, 2), record(A, RecordType.ENTRY), 2);
    truncate(segment(parent, 2), last.from() + 20);
    assertThat(damaged()).contains(A).doesNotContain(C);
  }

  @Test
  void aDamagedStartCostsNothingWhereTheRestShowsAll() throws Exception {
    writeSegments();
    flip(segment(parent, 2), 20);
    assertThat(damaged()).isEmpty();
  }

  @Test
  void aCopyOfASegmentUnderAnotherNumberIsNoSegment() throws Exception {
    writeSegments();
    Files.copy(segment(parent, 1), segment(parent, 2), StandardCopyOption.REPLACE_EXISTING);
    assertThat(damaged()).contains(A, B);
  }

  @Test
  void damagedBasesConcernNobodyWhoseRecordsAreThere() throws Exception {
    writeSegments();
    Piece base = find(segment(parent, 3), record(A, RecordType.BASE), 0);
    flip(segment(parent, 3), base.from() + RecordHead.BYTES + 3);
    assertThat(damaged()).isEmpty();
  }

  /** The state is in the base only, once the segment that has it is deleted. */
  @Test
  void aDamagedBaseThatNothingReplacesIsDamage() throws Exception {
    try (SharedLogFixture fixture = new SharedLogFixture(parent, LARGE)) {
      awaitDurable(fixture.create(A), putVote(fixture.open(A), "term 5"));
      fill(fixture.create(B), 1, 10);
    }
    new SharedLogFixture(parent, LARGE).close();
    SharedLogFixture.await().until(() -> SharedLogFixture.segments(parent).size() <= 2);
    Path newest = SharedLogFixture.newest(parent);
    int oldest = SharedLogFixture.segments(parent).get(0);
    Piece base = find(newest, record(A, RecordType.BASE), 0);
    flip(newest, base.from() + RecordHead.BYTES + 3);
    assertThat(damaged()).containsExactlyElementsOf(oldest == 1 ? Set.of() : Set.of(A));
  }

  @Test
  void aLostCreationIsNoticed() throws Exception {
    try (SharedLogFixture fixture = new SharedLogFixture(parent, LARGE)) {
      fill(fixture.create(A), 2, 30);
      fill(fixture.create(B), 2, 30);
      fill(fixture.open(A), 1, 30);
    }
    Piece created = find(segment(parent, 1), record(B, RecordType.CREATED), 0);
    zero(segment(parent, 1), created.from(), created.to());
    assertThat(damaged()).containsExactly(B);
  }

  /** The next segment has no base of the group, and so it does not exist any more. */
  @Test
  void aLostRemovalDoesNotBringAGroupBack() throws Exception {
    try (SharedLogFixture fixture = new SharedLogFixture(parent, LARGE)) {
      fill(fixture.create(A), 2, 30);
      fill(fixture.create(B), 2, 30);
      fixture.log.remove(B, Runnable::run).get(20, TimeUnit.SECONDS);
      fill(fixture.open(A), 1, 30);
    }
    new SharedLogFixture(parent, LARGE).close();
    Piece removed = find(segment(parent, 1), record(B, RecordType.REMOVED), 0);
    zero(segment(parent, 1), removed.from(), removed.to());
    try (SharedLogFixture fixture = new SharedLogFixture(parent, LARGE)) {
      assertThat(fixture.log.groups()).containsExactly(A);
      assertThat(entries(fixture.open(A))).hasSize(3);
    }
  }

  /** Each byte of a log that something after it proves. */
  @Test
  void noChangedByteIsServed() throws Exception {
    try (SharedLogFixture fixture = new SharedLogFixture(parent, LARGE)) {
      GroupLog a = fixture.create(A);
      fill(a, 2, 15);
      putVote(a, "vote");
      a.truncate(1);
      fill(a, 2, 9);
      release(a, 1);
    }
    Path file = segment(parent, 1);
    byte[] intact = Files.readAllBytes(file);
    int end = pieces(file).stream().filter(Piece::isIntact).mapToInt(Piece::to).max().orElseThrow();
    for (int at = SegmentStart.BYTES; at < end; at += 3) {
      Path copy = parent.resolve("copy-" + at);
      SharedLogFixture.copy(parent, copy);
      byte[] changed = intact.clone();
      changed[at] ^= 1 << at % 8;
      Files.write(segment(copy, 1), changed);
      try (SharedLogFixture fixture = new SharedLogFixture(copy, LARGE)) {
        if (fixture.log.groups().contains(A) && fixture.log.damage(A).isEmpty()) {
          GroupLog group = fixture.open(A);
          assertThat(group.state(0)).contains(text("vote"));
          assertThat(group.nextIndex()).isEqualTo(3);
          assertThat(group.entry(1)).contains(SharedLogFixture.bytes(1, 1, 9));
          assertThat(group.entry(2)).contains(SharedLogFixture.bytes(1, 2, 9));
        }
      }
    }
  }

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
      a.appendEntry(new Position(1, 3), new byte[3000]);
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

  @Test
  void anUnfinishedSegmentIsDeleted() throws Exception {
    writeThreeGroups();
    Path unfinished = SharedLogFixture.directory(parent).resolve("00000002.new");
    Files.write(unfinished, new byte[100]);
    assertThat(damaged()).isEmpty();
    assertThat(unfinished).doesNotExist();
  }

  @Test
  void aDamagedRecordIsNotServedWhileTheLogIsOpen() throws Exception {
    try (SharedLogFixture fixture = new SharedLogFixture(parent, SharedLogFixture.TIGHT)) {
      GroupLog a = fixture.create(A);
      fill(a, 60, 1000);
      Piece entry = find(segment(parent, 1), record(A, RecordType.ENTRY), 1);
      flip(segment(parent, 1), entry.from() + RecordHead.BYTES + 500);
      assertThat(a.entry(0)).isPresent();
      assertThatThrownBy(() -> a.entry(1))
          .isInstanceOfSatisfying(
              DamagedRecordException.class,
              e -> {
                assertThat(e.file()).isEqualTo(segment(parent, 1));
                assertThat(e.offset()).isEqualTo(entry.from());
              });
    }
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

  private byte[] markOf(long segment, long bytes) throws IOException {
    Path other = Files.createDirectories(parent.resolve("mark"));
    DurableEnd.replace(other, new DurableEnd.Mark(segment, bytes, true));
    return Files.readAllBytes(DurableEnd.file(other));
  }
}
