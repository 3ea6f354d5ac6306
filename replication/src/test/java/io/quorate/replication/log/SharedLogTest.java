package io.quorate.replication.log;

import static io.quorate.replication.log.SharedLogFixture.A;
import static io.quorate.replication.log.SharedLogFixture.B;
import static io.quorate.replication.log.SharedLogFixture.append;
import static io.quorate.replication.log.SharedLogFixture.awaitDurable;
import static io.quorate.replication.log.SharedLogFixture.entries;
import static io.quorate.replication.log.SharedLogFixture.events;
import static io.quorate.replication.log.SharedLogFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.common.Failpoint;
import io.quorate.model.Position;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What groups append, read and find again. */
class SharedLogTest {
  @TempDir private Path parent;

  @AfterEach
  void disableFailpoints() {
    Failpoint.known().forEach(Failpoint::off);
  }

  private SharedLogFixture open() throws Exception {
    return new SharedLogFixture(parent);
  }

  @Test
  void entriesOfGroupsAreFoundAgain() throws Exception {
    List<String> a;
    List<String> b;
    try (SharedLogFixture fixture = open()) {
      GroupLog first = fixture.create(A);
      GroupLog second = fixture.create(B);
      for (int i = 0; i < 100; i++) {
        append(first, 1, i, 100);
        append(second, 2, i, 10);
      }
      a = entries(first);
      b = entries(second);
    }
    assertThat(a).hasSize(100).doesNotContainAnyElementsOf(b);
    try (SharedLogFixture fixture = open()) {
      assertThat(fixture.log.groups()).containsExactly(A, B);
      assertThat(entries(fixture.open(B))).isEqualTo(b);
      assertThat(entries(fixture.open(A))).isEqualTo(a);
      assertThat(fixture.open(A).nextIndex()).isEqualTo(100);
      assertThatThrownBy(() -> append(fixture.open(A), 1, 99, 1))
          .isInstanceOf(IllegalArgumentException.class);
      append(fixture.open(A), 1, 100, 1);
    }
    try (SharedLogFixture fixture = open()) {
      assertThat(entries(fixture.open(A))).hasSize(101).startsWith(a.toArray(String[]::new));
    }
  }

  @Test
  void truncatedEntriesAreReplaced() throws Exception {
    List<String> expected;
    try (SharedLogFixture fixture = open()) {
      GroupLog group = fixture.create(A);
      for (int i = 0; i < 20; i++) {
        append(group, 1, i, 300);
      }
      group.truncate(5);
      assertThat(group.nextIndex()).isEqualTo(5);
      assertThat(group.entry(5)).isEmpty();
      for (int i = 5; i < 9; i++) {
        append(group, 2, i, 300);
      }
      expected = entries(group);
      assertThat(group.truncate(9)).isEqualTo(group.sequence());
    }
    try (SharedLogFixture fixture = open()) {
      GroupLog group = fixture.open(A);
      assertThat(entries(group)).isEqualTo(expected).hasSize(9);
      assertThat(group.position(4)).contains(new Position(1, 4));
      assertThat(group.position(5)).contains(new Position(2, 5));
    }
  }

  @Test
  void theLatestStateOfAKeyCounts() throws Exception {
    try (SharedLogFixture fixture = open()) {
      GroupLog group = fixture.create(A);
      assertThat(group.state(0)).isEmpty();
      for (int term = 0; term < 300; term++) {
        group.putState(0, text("term " + term));
        group.putState(3, text("other " + term));
      }
      assertThat(group.state(0)).contains(text("term 299"));
    }
    try (SharedLogFixture fixture = open()) {
      GroupLog group = fixture.open(A);
      assertThat(group.state(0)).contains(text("term 299"));
      assertThat(group.state(3)).contains(text("other 299"));
      assertThat(group.state(1)).isEmpty();
      assertThatThrownBy(() -> group.putState(16, text("x")))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> group.putState(0, new byte[1 << 20]))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void eventsKeepTheirOrderAndGoWithTheLowWaterMark() throws Exception {
    List<String> expected;
    try (SharedLogFixture fixture = open()) {
      GroupLog group = fixture.create(A);
      for (int i = 0; i < 200; i++) {
        long slot = i / 4 + i % 3;
        group.appendEvent(i % 7, new Position(1, slot), text("event " + i), i % 2 == 0);
      }
      group.flush();
      group.release(20);
      expected = events(group);
      assertThat(expected).hasSizeBetween(100, 140).noneMatch(each -> each.contains("@1:19"));
      assertThatThrownBy(() -> group.appendEvent(0, new Position(1, 19), text(""), false))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(group.highestIndex()).isEqualTo(51);
    }
    try (SharedLogFixture fixture = open()) {
      GroupLog group = fixture.open(A);
      assertThat(events(group)).isEqualTo(expected);
      assertThat(group.lowWater()).isEqualTo(20);
      assertThat(group.highestIndex()).isEqualTo(51);
    }
  }

  @Test
  void aGroupBehindASnapshotGoesOnAfterIt() throws Exception {
    try (SharedLogFixture fixture = open()) {
      GroupLog group = fixture.create(A);
      append(group, 1, 0, 10);
      group.release(1000);
      assertThat(group.nextIndex()).isEqualTo(1000);
      assertThat(group.liveBytes()).isZero();
      append(group, 4, 1000, 10);
    }
    try (SharedLogFixture fixture = open()) {
      GroupLog group = fixture.open(A);
      assertThat(group.lowWater()).isEqualTo(1000);
      assertThat(entries(group)).hasSize(1);
    }
  }

  @Test
  void aGroupCreatedAgainSeesNothingOfTheFormerOne() throws Exception {
    try (SharedLogFixture fixture = open()) {
      GroupLog group = fixture.create(A);
      group.putState(0, text("vote"));
      append(group, 1, 0, 10);
      assertThatThrownBy(() -> fixture.create(A)).isInstanceOf(IllegalStateException.class);
      fixture.log.remove(A, Runnable::run).get(20, TimeUnit.SECONDS);
      assertThat(fixture.log.groups()).isEmpty();
      assertThatThrownBy(() -> append(group, 1, 1, 10)).hasMessageContaining("removed");
      GroupLog again = fixture.create(A);
      assertThat(again.state(0)).isEmpty();
      append(again, 1, 0, 7);
    }
    try (SharedLogFixture fixture = open()) {
      GroupLog again = fixture.open(A);
      assertThat(again.state(0)).isEmpty();
      assertThat(again.length(0)).isEqualTo(7);
      fixture.log.remove(A, Runnable::run).get(20, TimeUnit.SECONDS);
    }
    try (SharedLogFixture fixture = open()) {
      assertThat(fixture.log.groups()).isEmpty();
      assertThat(fixture.log.open(A, Runnable::run, new SharedLogFixture.Told())).isEmpty();
      assertThat(fixture.log.remove(A, Runnable::run)).isCompleted();
    }
  }

  @Test
  void olderRecordsAreReadFromFiles() throws Exception {
    try (SharedLogFixture fixture = new SharedLogFixture(parent, SharedLogFixture.TIGHT)) {
      GroupLog group = fixture.create(A);
      SharedLogFixture.fill(group, 100, 1000);
      assertThat(fixture.log.counters().memoryBytes()).isLessThanOrEqualTo(16 << 10);
      assertThat(entries(group)).hasSize(100);
      assertThat(fixture.log.counters().diskReads()).isGreaterThan(50);
      assertThat(group.entry(0)).contains(SharedLogFixture.bytes(1, 0, 1000));
    }
    try (SharedLogFixture fixture = new SharedLogFixture(parent, SharedLogFixture.TIGHT)) {
      assertThat(fixture.log.counters().memoryBytes()).isBetween(10_000L, 16L << 10);
      assertThat(fixture.open(A).entry(99)).contains(SharedLogFixture.bytes(1, 99, 1000));
      assertThat(fixture.log.counters().diskReads()).isZero();
    }
  }

  @Test
  void aReaderThatIsInterruptedHarmsNobodyElse() throws Exception {
    try (SharedLogFixture fixture = new SharedLogFixture(parent, SharedLogFixture.TIGHT)) {
      GroupLog group = fixture.create(A);
      SharedLogFixture.fill(group, 40, 1000);
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> group.entry(0)).isInstanceOf(ClosedByInterruptException.class);
      assertThat(Thread.interrupted()).isTrue();
      assertThat(group.entry(0)).isPresent();
      SharedLogFixture.fill(group, 1, 10);
    }
  }

  /** The group's own thread is told once for what became durable while it was busy. */
  @Test
  void groupsAreToldOnTheirExecutorsInBatches() throws Exception {
    ExecutorService loop = Executors.newSingleThreadExecutor(task -> new Thread(task, "loop"));
    SharedLogFixture.Told told = new SharedLogFixture.Told();
    try (SharedLogFixture fixture = open()) {
      GroupLog group = fixture.log.create(A, 0, loop, told);
      awaitDurable(group, 1);
      CountDownLatch busy = new CountDownLatch(1);
      loop.execute(
          () -> {
            try {
              busy.await();
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
          });
      SharedLogFixture.fill(group, 50, 10);
      busy.countDown();
      SharedLogFixture.await().until(() -> told.durable.contains(51L));
      assertThat(told.durable).hasSizeLessThanOrEqualTo(2);
      assertThat(told.thread.getName()).isEqualTo("loop");
      group.close();
      SharedLogFixture.fill(group, 1, 10);
      GroupLog reopened = fixture.log.open(A, loop, told).orElseThrow();
      SharedLogFixture.fill(reopened, 1, 10);
      SharedLogFixture.await().until(() -> told.durable.contains(53L));
    } finally {
      loop.shutdown();
    }
    assertThat(told.durable).doesNotContain(52L);
  }

  @Test
  void nothingIsReportedAfterAGroupIsClosed() throws Exception {
    Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    SharedLogFixture.Told told = new SharedLogFixture.Told();
    try (SharedLogFixture fixture = open()) {
      GroupLog group = fixture.log.create(A, 0, tasks::add, told);
      awaitDurable(group, append(group, 1, 0, 10));
      SharedLogFixture.await().until(() -> !tasks.isEmpty());
      group.close();
      tasks.forEach(Runnable::run);
    }
    assertThat(told.durable).isEmpty();
  }

  /** What is not durable must not be acknowledged. */
  @Test
  void theLastDurableEntryIsKnown() throws Exception {
    CountDownLatch released = new CountDownLatch(1);
    try (SharedLogFixture fixture = open()) {
      GroupLog group = fixture.create(A);
      assertThat(group.durableEntry()).isEqualTo(-1);
      SharedLogFixture.fill(group, 5, 10);
      assertThat(group.durableEntry()).isEqualTo(4);
      LogPoints.BEFORE_SYNC.on((at, subject) -> awaitLatch(released));
      group.truncate(3);
      long number = append(group, 2, 3, 10);
      assertThat(group.durableEntry()).isEqualTo(2);
      released.countDown();
      awaitDurable(group, number);
      assertThat(group.durableEntry()).isEqualTo(3);
      group.release(4);
      assertThat(group.durableEntry()).isEqualTo(3);
    }
    try (SharedLogFixture fixture = open()) {
      assertThat(fixture.open(A).durableEntry()).isEqualTo(3);
      SharedLogFixture.fill(fixture.open(A), 1, 10);
      assertThat(fixture.open(A).durableEntry()).isEqualTo(4);
    }
  }

  /** What queues while an fsync runs shares the next one. */
  @Test
  void manyGroupsShareAnFsync() throws Exception {
    try (SharedLogFixture fixture = new SharedLogFixture(parent, SharedLogFixture.LARGE)) {
      GroupLog a = fixture.create(A);
      GroupLog b = fixture.create(B);
      awaitDurable(a, 1);
      awaitDurable(b, 1);
      long before = fixture.log.counters().syncs();
      CountDownLatch reached = new CountDownLatch(1);
      CountDownLatch released = new CountDownLatch(1);
      LogPoints.BEFORE_SYNC.on(
          (at, subject) -> {
            reached.countDown();
            awaitLatch(released);
          });
      append(a, 1, 0, 10);
      awaitLatch(reached);
      for (int i = 0; i < 50; i++) {
        append(a, 1, i + 1, 10);
        append(b, 1, i, 10);
      }
      released.countDown();
      awaitDurable(a, 52);
      awaitDurable(b, 51);
      assertThat(fixture.log.counters().syncs() - before).isEqualTo(2);
    }
  }

  /** A lazy record is durable after the time of lazy fsyncs, or with the next one. */
  @Test
  void lazyRecordsBecomeDurable() throws Exception {
    try (SharedLogFixture fixture = open()) {
      GroupLog group = fixture.create(A);
      long lazy = group.appendEvent(1, new Position(1, 0), text("lazy"), true);
      group.flush();
      awaitDurable(group, lazy);
    }
  }

  @Test
  void theWaitOfTheOldestRecordShowsAHungDisk() throws Exception {
    try (SharedLogFixture fixture = open()) {
      GroupLog group = fixture.create(A);
      awaitDurable(group, 1);
      SharedLogFixture.await().until(() -> fixture.log.oldestWait().isZero());
      CountDownLatch released = new CountDownLatch(1);
      LogPoints.BEFORE_SYNC.on((at, subject) -> awaitLatch(released));
      long number = append(group, 1, 0, 10);
      SharedLogFixture.await()
          .until(() -> fixture.log.oldestWait().compareTo(Duration.ofMillis(50)) > 0);
      assertThat(fixture.log.failure()).isEmpty();
      released.countDown();
      awaitDurable(group, number);
      SharedLogFixture.await().until(() -> fixture.log.oldestWait().isZero());
    }
  }

  @Test
  void aDiskThatHangsWhileASegmentBeginsIsSeen() throws Exception {
    try (SharedLogFixture fixture = open()) {
      GroupLog group = fixture.create(A);
      CountDownLatch released = new CountDownLatch(1);
      LogPoints.BEFORE_ROLL.on((at, subject) -> awaitLatch(released));
      SharedLogFixture.fill(group, 1, 5000);
      long number = append(group, 1, 1, 10);
      SharedLogFixture.await()
          .until(() -> fixture.log.oldestWait().compareTo(Duration.ofMillis(50)) > 0);
      released.countDown();
      awaitDurable(group, number);
    }
  }

  static void awaitLatch(CountDownLatch latch) {
    try {
      assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
