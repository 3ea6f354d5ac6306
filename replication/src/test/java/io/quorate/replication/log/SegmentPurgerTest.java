package io.quorate.replication.log;

import static io.quorate.replication.log.SharedLogFixture.A;
import static io.quorate.replication.log.SharedLogFixture.B;
import static io.quorate.replication.log.SharedLogFixture.C;
import static io.quorate.replication.log.SharedLogFixture.append;
import static io.quorate.replication.log.SharedLogFixture.await;
import static io.quorate.replication.log.SharedLogFixture.awaitDurable;
import static io.quorate.replication.log.SharedLogFixture.entries;
import static io.quorate.replication.log.SharedLogFixture.events;
import static io.quorate.replication.log.SharedLogFixture.fill;
import static io.quorate.replication.log.SharedLogFixture.segment;
import static io.quorate.replication.log.SharedLogFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.common.Failpoint;
import io.quorate.model.Position;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Old segments go, and what is live in them stays. */
class SegmentPurgerTest {
  @TempDir private Path parent;

  @AfterEach
  void disableFailpoints() {
    Failpoint.known().forEach(Failpoint::off);
  }

  private SharedLogFixture open() throws Exception {
    return new SharedLogFixture(parent);
  }

  private static void release(GroupLog group, long mark) throws IOException {
    group.release(mark);
    group.flush();
  }

  @Test
  void segmentsWithoutLiveRecordsAreDeleted() throws Exception {
    try (SharedLogFixture fixture = open()) {
      GroupLog group = fixture.create(A);
      fill(group, 50, 400);
      assertThat(SharedLogFixture.segments(parent)).hasSizeGreaterThan(5);
      release(group, 50);
      await().until(() -> fixture.log.counters().segments() == 1);
      assertThat(SharedLogFixture.segments(parent)).hasSize(1);
      assertThat(fixture.log.counters().liveBytes()).isZero();
      assertThat(fixture.log.counters().rewrittenRecords()).isZero();
      fill(group, 1, 10);
    }
    try (SharedLogFixture fixture = open()) {
      assertThat(entries(fixture.open(A))).hasSize(1);
      assertThat(fixture.open(A).lowWater()).isEqualTo(50);
    }
  }

  /** What makes records dead is durable before their segment is deleted. */
  @Test
  void aCrashAtADeletionLosesNothing() throws Exception {
    AtomicInteger deletions = new AtomicInteger();
    LogPoints.BEFORE_DELETE.on(
        (at, subject) -> copy(parent.resolve("before-" + deletions.incrementAndGet())));
    LogPoints.AFTER_DELETE.on((at, subject) -> copy(parent.resolve("after-" + deletions.get())));
    try (SharedLogFixture fixture = open()) {
      GroupLog group = fixture.create(A);
      GroupLog other = fixture.create(B);
      fill(other, 1, 10);
      for (int i = 0; i < 8; i++) {
        fill(group, 10, 300);
        release(group, 10 * i);
        group.truncate(10 * i + 9);
      }
      await().until(() -> deletions.get() > 3);
      // Ends deletions, so that no copy is being made.
      disableFailpoints();
    }
    for (int i = 1; i < deletions.get(); i++) {
      for (String moment : List.of("before-", "after-")) {
        try (SharedLogFixture fixture = new SharedLogFixture(parent.resolve(moment + i))) {
          assertThat(entries(fixture.open(A))).isNotEmpty();
          assertThat(entries(fixture.open(B))).hasSize(1);
        }
      }
    }
  }

  private void copy(Path to) throws IOException {
    new CrashImages(parent).killed(to);
    LogPoints.CREATED.off();
    LogPoints.AFTER_SYNC.off();
    LogPoints.BEFORE_WRITE.off();
    LogPoints.BEFORE_COMPLETION.off();
  }

  @Test
  void idleGroupsDoNotKeepOldSegments() throws Exception {
    List<String> entries;
    List<String> events;
    try (SharedLogFixture fixture = open()) {
      GroupLog idle = fixture.create(A);
      GroupLog slots = fixture.create(C);
      fill(idle, 3, 50);
      for (int i = 0; i < 6; i++) {
        slots.appendEvent(i, new Position(1, 5 - i), text("event " + i), true);
      }
      awaitDurable(idle, SharedLogFixture.putVote(idle, "term 7"));
      entries = entries(idle);
      events = events(slots);
      GroupLog busy = fixture.create(B);
      for (int i = 0; i < 20; i++) {
        fill(busy, 10, 300);
        release(busy, busy.nextIndex() - 2);
      }
      await().until(() -> fixture.log.counters().segments() <= SegmentPurger.SPARE_SEGMENTS + 1);
      assertThat(fixture.log.counters().rewrittenRecords()).isGreaterThanOrEqualTo(9);
      assertThat(fixture.log.counters().rewrittenBytes()).isGreaterThan(9 * 50);
      assertThat(segment(parent, 1)).doesNotExist();
      assertThat(entries(idle)).isEqualTo(entries);
      slots.appendEvent(9, new Position(1, 0), text("last"), false);
      slots.flush();
      events = List.copyOf(events(slots));
      assertThat(events).hasSize(7).last().asString().startsWith("9@");
    }
    try (SharedLogFixture fixture = open()) {
      assertThat(entries(fixture.open(A))).isEqualTo(entries);
      assertThat(events(fixture.open(C))).isEqualTo(events);
      assertThat(fixture.open(A).state(0)).contains(text("term 7"));
      fill(fixture.open(A), 1, 10);
      fixture.open(A).truncate(2);
    }
    try (SharedLogFixture fixture = open()) {
      assertThat(entries(fixture.open(A))).isEqualTo(entries.subList(0, 2));
    }
  }

  /** With a byte a second, the next copy after the first ones is minutes away. */
  @Test
  void theRateOfRewritingIsBounded() throws Exception {
    SharedLogSettings slow =
        new SharedLogSettings(
            4096, 4096, Duration.ofMillis(1), 1000, 1 << 20, 1 << 20, 1L << 40, 1);
    try (SharedLogFixture fixture = new SharedLogFixture(parent, slow)) {
      GroupLog idle = fixture.create(A);
      fill(idle, 10, 100);
      GroupLog busy = fixture.create(B);
      for (int i = 0; fixture.log.counters().rewrittenRecords() == 0; i++) {
        assertThat(i).as("rounds without a copy").isLessThan(1000);
        fill(busy, 10, 300);
        release(busy, busy.nextIndex() - 2);
      }
      for (int i = 0; i < 10; i++) {
        fill(busy, 10, 300);
      }
      assertThat(fixture.log.counters().rewrittenRecords()).isLessThanOrEqualTo(2);
      assertThat(entries(idle)).hasSize(10);
    }
  }

  /** The copy is compared with what was written; others are not concerned. */
  @Test
  void aGroupWhoseRecordCannotBeRewrittenIsLost() throws Exception {
    AtomicReference<GroupLog> group = new AtomicReference<>();
    List<Boolean> locked = new CopyOnWriteArrayList<>();
    SharedLogFixture.Told told =
        new SharedLogFixture.Told() {
          @Override
          public void failed(IOException cause) {
            // Whom it tells may have locks of its own, with which it appends.
            locked.add(Thread.holdsLock(group.get()));
            super.failed(cause);
          }
        };
    try (SharedLogFixture fixture = new SharedLogFixture(parent, SharedLogFixture.TIGHT)) {
      GroupLog idle = fixture.log.create(A, 0, Runnable::run, told);
      group.set(idle);
      fill(idle, 2, 300);
      fill(fixture.create(C), 1, 10);
      byte[] bytes = Files.readAllBytes(segment(parent, 1));
      bytes[900] ^= 1;
      Files.write(segment(parent, 1), bytes);
      GroupLog busy = fixture.create(B);
      for (int i = 0; i < 40; i++) {
        fill(busy, 10, 300);
        release(busy, Math.max(0, busy.nextIndex() - 60));
      }
      await().until(() -> !told.failures.isEmpty());
      assertThat(told.failures)
          .singleElement()
          .isInstanceOf(DamagedGroupException.class)
          .asString()
          .contains(segment(parent, 1).toString());
      assertThat(locked).containsExactly(false);
      assertThatThrownBy(() -> append(idle, 1, 2, 10)).isInstanceOf(DamagedGroupException.class);
      assertThatThrownBy(() -> fixture.open(A)).isInstanceOf(DamagedGroupException.class);
      assertThat(fixture.log.failure()).isEmpty();
      fill(busy, 1, 10);
    }
    try (SharedLogFixture fixture = open()) {
      assertThat(fixture.log.damage(A)).isPresent();
      assertThat(entries(fixture.open(C))).hasSize(1);
      assertThat(fixture.log.groups()).containsExactly(A, B, C);
    }
  }

  /** A group that fills the log is refused; another one goes on. */
  @Test
  void aFullLogRefusesTheGroupsThatFillIt() throws Exception {
    SharedLogSettings small =
        new SharedLogSettings(
            4096, 4096, Duration.ofMillis(1), 1000, 1 << 20, 1 << 20, 32 << 10, 1L << 40);
    SharedLogFixture.Told told = new SharedLogFixture.Told();
    try (SharedLogFixture fixture = new SharedLogFixture(parent, small)) {
      GroupLog large = fixture.log.create(A, 0, Runnable::run, told);
      GroupLog other = fixture.create(B);
      int appended = 0;
      while (large.hasRoom()) {
        fill(large, 1, 500);
        appended++;
      }
      assertThat(appended).isBetween(40, 80);
      assertThat(large.hasRoom()).isFalse();
      fill(other, 5, 500);
      awaitDurable(large, SharedLogFixture.putVote(large, "is never refused"));
      release(large, appended);
      await().until(() -> told.rooms == 1);
      fill(large, 5, 500);
      assertThat(fixture.log.counters().refusals()).isEqualTo(2);
    }
  }
}
