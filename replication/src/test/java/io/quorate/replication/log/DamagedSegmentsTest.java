package io.quorate.replication.log;

import static io.quorate.replication.log.SharedLogFixture.A;
import static io.quorate.replication.log.SharedLogFixture.B;
import static io.quorate.replication.log.SharedLogFixture.C;
import static io.quorate.replication.log.SharedLogFixture.LARGE;
import static io.quorate.replication.log.SharedLogFixture.awaitDurable;
import static io.quorate.replication.log.SharedLogFixture.entries;
import static io.quorate.replication.log.SharedLogFixture.fill;
import static io.quorate.replication.log.SharedLogFixture.putVote;
import static io.quorate.replication.log.SharedLogFixture.segment;
import static io.quorate.replication.log.SharedLogFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.common.DamagedLogException;
import io.quorate.common.DurableEnd;
import io.quorate.common.OpenFiles;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.replication.log.segment.LogOwner;
import io.quorate.replication.log.segment.RecordHead;
import io.quorate.replication.log.segment.RecordType;
import io.quorate.replication.log.segment.ScannedSegment.Piece;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that are missing, short, exchanged or of another log, and bases. */
class DamagedSegmentsTest extends DamagedLogFixture {
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

  @Test
  void aFileWithANameThatNoSegmentHasIsIgnored() throws Exception {
    writeThreeGroups();
    for (String name :
        List.of("abc.log", "99999999999999999999.log", "000000001.log", "abc.new", "1.log")) {
      Files.createFile(SharedLogFixture.directory(parent).resolve(name));
    }
    assertThat(damaged()).isEmpty();
  }

  /** Each number before it would count as a missing segment, and all groups as damaged. */
  @ParameterizedTest
  @ValueSource(strings = {"99999999.log", "9223372036854775807.log"})
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aFileFarAheadIsRefused(String name) throws Exception {
    writeThreeGroups();
    Path stray = Files.createFile(SharedLogFixture.directory(parent).resolve(name));
    assertThatThrownBy(this::damaged)
        .isInstanceOf(DamagedLogException.class)
        .hasMessageContaining(stray.toString())
        .hasMessageContaining("move it away");
    Files.delete(stray);
    assertThat(damaged()).isEmpty();
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

  /**
   * Nothing durable is missing unnoticed. A group that is not there is lost, as its engine knows
   * that it was begun.
   */
  @Test
  void aCutAmongDurableRecordsIsNoticedAtEveryByte() throws Exception {
    writeThreeGroups();
    int end = find(segment(parent, 1), record(B, RecordType.ENTRY), 9).to();
    for (int length = 0; length < end; length += 41) {
      for (boolean zeros : List.of(false, true)) {
        Path copy = parent.resolve("copy-" + length + zeros);
        SharedLogFixture.copy(parent, copy);
        truncate(segment(copy, 1), length);
        if (zeros) {
          truncate(segment(copy, 1), end);
        }
        assertUsableGroupsAreWhole(copy);
      }
    }
  }

  /** The last record is one of B. */
  private static void assertUsableGroupsAreWhole(Path log) throws IOException {
    try (SharedLogFixture fixture = new SharedLogFixture(log, LARGE)) {
      for (GroupId group : fixture.log.groups()) {
        if (fixture.log.damage(group).isEmpty()) {
          assertThat(group).isNotEqualTo(B);
          assertThat(entries(fixture.open(group))).hasSize(group.equals(A) ? 10 : 2);
        }
      }
    } catch (DamagedLogException e) {
      assertThat(e).hasMessageContaining(SharedLogFixture.directory(log).toString());
    }
  }

  @Test
  void aLogThatCannotBeOpenedLeavesNoFileOpen() throws Exception {
    writeThreeGroups();
    LogPoints.CREATED.on(
        (at, subject) -> {
          throw new IllegalStateException("no segment can be begun");
        });
    assertThatThrownBy(this::damaged).hasMessage("no segment can be begun");
    assertThat(OpenFiles.below(parent)).isEmpty();
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
    }
    try (SharedLogFixture fixture = new SharedLogFixture(parent, LARGE)) {
      SharedLogFixture.await().until(() -> fixture.log.counters().segments() == 1);
    }
    Path newest = SharedLogFixture.newest(parent);
    assertThat(newest).isNotEqualTo(segment(parent, 1));
    Piece base = find(newest, record(A, RecordType.BASE), 0);
    flip(newest, base.from() + RecordHead.BYTES + 3);
    assertThat(damaged()).containsExactly(A);
  }
}
