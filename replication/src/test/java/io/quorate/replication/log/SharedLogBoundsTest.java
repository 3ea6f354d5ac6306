package io.quorate.replication.log;

import static io.quorate.replication.log.SharedLogFixture.A;
import static io.quorate.replication.log.SharedLogFixture.B;
import static io.quorate.replication.log.SharedLogFixture.append;
import static io.quorate.replication.log.SharedLogFixture.await;
import static io.quorate.replication.log.SharedLogFixture.awaitDurable;
import static io.quorate.replication.log.SharedLogFixture.fill;
import static io.quorate.replication.log.SharedLogFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.common.Failpoint;
import io.quorate.model.Position;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A disk that hangs or fails, and groups that append more than it takes. */
class SharedLogBoundsTest {
  private static final SharedLogSettings BOUNDED =
      new SharedLogSettings(
          1 << 20, 4096, Duration.ofMillis(1), 400, 10_000, 20_000, 1L << 40, 1L << 40);

  @TempDir private Path parent;

  @AfterEach
  void disableFailpoints() {
    Failpoint.known().forEach(Failpoint::off);
  }

  private static int flood(GroupLog group, int length) throws IOException {
    int appended = 0;
    while (group.hasRoom()) {
      append(group, 1, group.nextIndex(), length);
      appended++;
    }
    return appended;
  }

  @Test
  void aGroupThatFloodsTheQueueLeavesRoomForOthers() throws Exception {
    SharedLogFixture.Told told = new SharedLogFixture.Told();
    CountDownLatch released = new CountDownLatch(1);
    try (SharedLogFixture fixture = new SharedLogFixture(parent, BOUNDED)) {
      GroupLog a = fixture.log.create(A, 0, Runnable::run, told);
      GroupLog b = fixture.create(B);
      awaitDurable(a, 1);
      awaitDurable(b, 1);
      assertThat(a.hasRoom()).isTrue();
      LogPoints.BEFORE_SYNC.on((at, subject) -> SharedLogTest.awaitLatch(released));
      int first = flood(a, 100);
      assertThat(first).isBetween(30, 40);
      assertThat(a.hasRoom()).isFalse();
      assertThat(flood(b, 100)).isBetween(18, 26);
      assertThat(fixture.log.counters().queuedBytes()).isLessThanOrEqualTo(10_000);
      long vote = SharedLogFixture.putVote(a, "is never refused");
      released.countDown();
      awaitDurable(a, vote);
      await().until(() -> told.rooms == 1);
      assertThat(a.hasRoom()).isTrue();
      assertThat(fixture.log.counters().queuedRecords()).isZero();
      append(a, 1, first, 100);
    }
  }

  @Test
  void theQueueIsBoundedByCountToo() throws Exception {
    CountDownLatch released = new CountDownLatch(1);
    try (SharedLogFixture fixture = new SharedLogFixture(parent, BOUNDED)) {
      GroupLog a = fixture.create(A);
      awaitDurable(a, 1);
      LogPoints.BEFORE_SYNC.on((at, subject) -> SharedLogTest.awaitLatch(released));
      assertThat(flood(a, 1)).isBetween(130, 140);
      released.countDown();
    }
  }

  @Test
  void aRecordOfAnyLengthFitsAnEmptyQueue() throws Exception {
    try (SharedLogFixture fixture = new SharedLogFixture(parent, BOUNDED)) {
      GroupLog a = fixture.create(A);
      awaitDurable(a, 1);
      fill(a, 2, 300_000);
      assertThat(a.entry(1)).contains(SharedLogFixture.bytes(1, 1, 300_000));
      await().until(() -> fixture.log.counters().memoryBytes() <= 20_000);
    }
    try (SharedLogFixture fixture = new SharedLogFixture(parent, BOUNDED)) {
      assertThat(fixture.open(A).entry(0)).contains(SharedLogFixture.bytes(1, 0, 300_000));
      assertThat(fixture.log.counters().memoryBytes()).isLessThanOrEqualTo(20_000);
    }
  }

  /** At each step of the writer. */
  @Test
  void aFailureEndsTheLogForAllGroups() throws Exception {
    List<Failpoint> steps =
        List.of(
            LogPoints.BEFORE_WRITE,
            LogPoints.AFTER_WRITE,
            LogPoints.BEFORE_SYNC,
            LogPoints.AFTER_SYNC,
            LogPoints.BEFORE_COMPLETION);
    for (Failpoint step : steps) {
      SharedLogFixture.Told toldA = new SharedLogFixture.Told();
      SharedLogFixture.Told toldB = new SharedLogFixture.Told();
      Path home = parent.resolve(step.name());
      AtomicInteger syncs = new AtomicInteger();
      try (SharedLogFixture fixture = new SharedLogFixture(home)) {
        GroupLog a = fixture.log.create(A, 0, Runnable::run, toldA);
        GroupLog b = fixture.log.create(B, 0, Runnable::run, toldB);
        awaitDurable(a, 1);
        awaitDurable(b, 1);
        LogPoints.BEFORE_SYNC.on((at, subject) -> syncs.incrementAndGet());
        step.on(
            (at, subject) -> {
              syncs.incrementAndGet();
              throw new IOException("injected");
            });
        append(a, 1, 0, 10);
        await().until(() -> !toldA.failures.isEmpty() && !toldB.failures.isEmpty());
        assertThat(fixture.log.failure()).isPresent();
        assertThat(toldA.failures).singleElement().asString().contains("injected");
        assertThat(toldB.failures).hasSize(1);
        assertThat(a.durable()).isEqualTo(1);
        int before = syncs.get();
        assertThatThrownBy(() -> append(a, 1, 1, 10)).hasMessageContaining("injected");
        assertThatThrownBy(() -> b.putState(0, text("vote"))).isInstanceOf(IOException.class);
        CompletableFuture<Void> removal = fixture.log.remove(B, Runnable::run);
        assertThatThrownBy(() -> removal.get(20, TimeUnit.SECONDS)).hasRootCauseMessage("injected");
        assertThat(syncs.get()).as("an fsync is not repeated").isEqualTo(before);
      }
      Failpoint.known().forEach(Failpoint::off);
      try (SharedLogFixture fixture = new SharedLogFixture(home)) {
        assertThat(fixture.open(A).nextIndex()).isIn(0L, 1L);
      }
    }
  }

  @Test
  void aSegmentThatCannotBeCreatedEndsTheLog() throws Exception {
    try (SharedLogFixture fixture = new SharedLogFixture(parent)) {
      GroupLog a = fixture.create(A);
      LogPoints.BEFORE_ROLL.on(
          (at, subject) -> {
            throw new IOException("injected");
          });
      long[] last = new long[1];
      assertThatThrownBy(
              () -> {
                while (true) {
                  last[0] = append(a, 1, a.nextIndex(), 500);
                  Thread.onSpinWait();
                }
              })
          .isInstanceOf(IOException.class);
      assertThat(a.durable()).isLessThan(last[0]);
    }
    Failpoint.known().forEach(Failpoint::off);
    try (SharedLogFixture fixture = new SharedLogFixture(parent)) {
      assertThat(fixture.open(A).nextIndex()).isGreaterThan(3);
    }
  }

  /** Nothing is reported before the fsync, nor before the file beside the log states it. */
  @Test
  void nothingIsReportedBeforeItIsDurable() throws Exception {
    AtomicInteger reached = new AtomicInteger();
    SharedLogFixture.Told told = new SharedLogFixture.Told();
    try (SharedLogFixture fixture = new SharedLogFixture(parent)) {
      GroupLog a = fixture.log.create(A, 0, Runnable::run, told);
      awaitDurable(a, 1);
      for (Failpoint step :
          List.of(LogPoints.BEFORE_SYNC, LogPoints.AFTER_SYNC, LogPoints.BEFORE_COMPLETION)) {
        step.on(
            (at, subject) -> {
              reached.incrementAndGet();
              assertThat(a.durable()).isEqualTo(1);
              assertThat(told.durable).containsExactly(1L);
            });
      }
      fill(a, 1, 10);
      assertThat(reached).hasValue(3);
    }
  }

  /** As the JVM records it. */
  @Test
  void everyReportFollowsAnFsync() throws Exception {
    Path recorded = parent.resolve("events.jfr");
    try (SharedLogFixture fixture = new SharedLogFixture(parent, BOUNDED);
        Recording recording = new Recording()) {
      GroupLog a = fixture.create(A);
      awaitDurable(a, 1);
      recording.enable("jdk.FileForce").withThreshold(Duration.ZERO);
      recording.start();
      fill(a, 5, 10);
      recording.stop();
      recording.dump(recorded);
    }
    assertThat(RecordingFile.readAllEvents(recorded))
        // The name with which it was opened, before it was renamed.
        .filteredOn(event -> event.getString("path").endsWith("00000001.new"))
        .hasSize(5);
  }

  @Test
  void whatWasAppendedIsDurableWhenTheLogIsClosed() throws Exception {
    GroupLog a;
    try (SharedLogFixture fixture = new SharedLogFixture(parent)) {
      a = fixture.create(A);
      for (int i = 0; i < 30; i++) {
        a.appendEvent(0, new Position(1, i), text("lazy"), true);
      }
    }
    assertThat(a.durable()).isEqualTo(31);
    assertThatThrownBy(() -> append(a, 1, 0, 10)).hasMessageContaining("closed");
    try (SharedLogFixture fixture = new SharedLogFixture(parent)) {
      assertThat(SharedLogFixture.events(fixture.open(A))).hasSize(30);
    }
  }

  /** Whatever is below the bound of bytes: the list would grow for as long as the node runs. */
  @Test
  void whatHasDiedIsNotKeptInMemory() throws Exception {
    SharedLogCounters counters = new SharedLogCounters();
    RecentRecords recent = new RecentRecords(counters, 1L << 40);
    QueuedRecord live = record();
    recent.add(live);
    for (int i = 0; i < 100_000; i++) {
      QueuedRecord dead = record();
      recent.add(dead);
      dead.bytes = null;
      recent.evict();
      assertThat(recent.size()).isLessThan(1_100);
    }
    assertThat(live.bytes).isNotNull();
  }

  private static QueuedRecord record() {
    return new QueuedRecord(null, null, 0x10, 1, 1, 1, 1, new byte[1], false);
  }
}
