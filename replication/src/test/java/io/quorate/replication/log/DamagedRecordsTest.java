package io.quorate.replication.log;

import static io.quorate.replication.log.SharedLogFixture.A;
import static io.quorate.replication.log.SharedLogFixture.B;
import static io.quorate.replication.log.SharedLogFixture.C;
import static io.quorate.replication.log.SharedLogFixture.LARGE;
import static io.quorate.replication.log.SharedLogFixture.append;
import static io.quorate.replication.log.SharedLogFixture.awaitDurable;
import static io.quorate.replication.log.SharedLogFixture.entries;
import static io.quorate.replication.log.SharedLogFixture.fill;
import static io.quorate.replication.log.SharedLogFixture.putVote;
import static io.quorate.replication.log.SharedLogFixture.segment;
import static io.quorate.replication.log.SharedLogFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.model.GroupId;
import io.quorate.model.Position;
import io.quorate.replication.log.segment.DamagedRecordException;
import io.quorate.replication.log.segment.RecordHead;
import io.quorate.replication.log.segment.RecordType;
import io.quorate.replication.log.segment.ScannedSegment.Piece;
import io.quorate.replication.log.segment.SegmentStart;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What is damaged concerns the groups that may have lost something, and no other. */
class DamagedRecordsTest extends DamagedLogFixture {
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

  /** A value may be a part of a log. */
  @Test
  void noBytesOfAValueAreARecord() throws Exception {
    writeThreeGroups();
    byte[] log = Files.readAllBytes(segment(parent, 1));
    try (SharedLogFixture fixture = new SharedLogFixture(parent, LARGE)) {
      GroupLog a = fixture.open(A);
      long number = a.appendEntry(new Position(2, 10), log, null);
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
}
