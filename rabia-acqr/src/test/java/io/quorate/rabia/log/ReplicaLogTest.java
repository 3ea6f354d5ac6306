package io.quorate.rabia.log;

import static io.quorate.rabia.log.LogFixture.IDENTITY;
import static io.quorate.rabia.log.LogFixture.SMALL;
import static io.quorate.rabia.log.LogFixture.decided;
import static io.quorate.rabia.log.LogFixture.end;
import static io.quorate.rabia.log.LogFixture.lazySync;
import static io.quorate.rabia.log.LogFixture.proposed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.common.Failpoint;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.rabia.RabiaPoints;
import io.quorate.rabia.core.step.Lsn;
import io.quorate.rabia.protocol.LogRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReplicaLogTest {
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

  @Test
  void appendedRecordsAreReplayedOverManyRuns() throws Exception {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    List<LogRecord> expected = new ArrayList<>();
    for (int run = 0; run < 10; run++) {
      try (LogFixture log = new LogFixture(directory, SMALL)) {
        assertThat(log.replayed()).as("seed %d, run %d", seed, run).isEqualTo(expected);
        List<LogRecord> added = LogFixture.records(random, random.nextInt(30));
        expected.addAll(added);
        log.appendAll(added);
      }
    }
    assertThat(LogFixture.read(directory)).as("seed %d", seed).isEqualTo(expected);
    assertThat(directory.resolve("segment-0000000003")).exists();
  }

  @Test
  void aRecordLongerThanASegmentIsKept() throws Exception {
    LogRecord large = proposed(1, 100_000);
    try (LogFixture log = new LogFixture(directory, SMALL)) {
      log.awaitDurable(log.append(large));
      log.awaitDurable(log.append(decided(2)));
    }
    assertThat(LogFixture.read(directory)).containsExactly(large, decided(2));
  }

  @Test
  void manyRecordsShareAnFsync() throws Exception {
    CountDownLatch syncing = new CountDownLatch(1);
    CountDownLatch proceed = new CountDownLatch(1);
    RabiaPoints.BEFORE_SYNC.on(
        (at, subject) -> {
          syncing.countDown();
          awaitQuietly(proceed);
        });
    try (LogFixture log = new LogFixture(directory, LogSettings.DEFAULT)) {
      log.append(decided(0));
      syncing.await();
      Lsn last = Lsn.START;
      for (int slot = 1; slot < 1000; slot++) {
        last = log.append(decided(slot));
      }
      assertThat(log.durable()).isEqualTo(Lsn.START);
      proceed.countDown();
      log.awaitDurable(last);
      assertThat(log.reported()).containsExactly(new Lsn(1), last);
      assertThat(log.log().counters().syncs()).isEqualTo(2);
      assertThat(log.log().counters().recordsPerSync()).isEqualTo(500);
      assertThat(log.log().counters().records()).isEqualTo(1000);
      assertThat(log.log().counters().queuedRecords()).isZero();
      assertThat(log.log().counters().queuedBytes()).isZero();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) throws IOException {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  @Test
  void lazyRecordsBecomeDurableWithoutUrgentRecords() throws Exception {
    try (LogFixture log = new LogFixture(directory, lazySync(Duration.ofMillis(20)))) {
      Lsn last = log.append(decided(1), true);
      log.log().flush();
      log.awaitDurable(last);
    }
  }

  @Test
  void lazyRecordsCauseNoFsyncAndBecomeDurableWithTheNextOne() throws Exception {
    try (LogFixture log = new LogFixture(directory, lazySync(Duration.ofHours(1)))) {
      log.append(decided(1), true);
      log.log().flush();
      LogFixture.await().until(() -> log.log().counters().records() == 1 && LogFixture.isParked());
      assertThat(log.log().counters().syncs()).isZero();
      Lsn urgent = log.append(decided(2));
      log.awaitDurable(urgent);
      assertThat(log.reported()).containsExactly(urgent);
    }
  }

  @Test
  void closingMakesLazyRecordsDurable() throws Exception {
    LogFixture log = new LogFixture(directory, lazySync(Duration.ofHours(1)));
    Lsn last = log.append(decided(1), true);
    log.close();
    assertThat(log.durable()).isEqualTo(last);
    assertThat(LogFixture.read(directory)).containsExactly(decided(1));
  }

  @Test
  void anIdleLogParks() throws Exception {
    try (LogFixture log = new LogFixture(directory, LogSettings.DEFAULT)) {
      log.awaitDurable(log.append(decided(1)));
      LogFixture.await().until(LogFixture::isParked);
      assertThat(log.log().counters().syncs()).isEqualTo(1);
    }
  }

  @Test
  void afterAFailedFsyncNoRecordIsReportedDurable() throws Exception {
    LogFixture log = new LogFixture(directory, LogSettings.DEFAULT);
    log.awaitDurable(log.append(decided(1)));
    RabiaPoints.BEFORE_SYNC.on(
        (at, subject) -> {
          throw new IOException("the disk is gone");
        });
    log.append(decided(2));
    LogFixture.await().until(() -> !log.failures().isEmpty());
    RabiaPoints.BEFORE_SYNC.off();
    log.append(decided(3));
    log.append(decided(4));
    log.close();
    assertThat(log.failures())
        .singleElement(InstanceOfAssertFactories.THROWABLE)
        .hasMessage("the disk is gone");
    assertThat(log.reported()).containsExactly(new Lsn(1));
    assertThat(log.log().counters().queuedRecords()).isZero();
  }

  @Test
  void everyFailpointIsReachedAndMayFail() throws Exception {
    List<Failpoint> points =
        List.of(
            RabiaPoints.BEFORE_WRITE,
            RabiaPoints.AFTER_WRITE,
            RabiaPoints.BEFORE_SYNC,
            RabiaPoints.AFTER_SYNC,
            RabiaPoints.BEFORE_ROLL,
            RabiaPoints.AFTER_ROLL,
            RabiaPoints.BEFORE_DELETE,
            RabiaPoints.AFTER_DELETE);
    for (Failpoint point : points) {
      Path here = directory.resolve(point.name());
      AtomicInteger passes = new AtomicInteger();
      point.on(
          (at, subject) -> {
            assertThat(subject).isEqualTo(IDENTITY);
            if (passes.incrementAndGet() == 3) {
              throw new IOException("injected failure");
            }
          });
      List<LogRecord> appended = new ArrayList<>();
      LogFixture log = new LogFixture(here, SMALL);
      for (int slot = 0; log.failures().isEmpty(); slot++) {
        LogRecord record = slot % 10 == 9 ? LogFixture.checkpointed(slot - 1) : proposed(slot, 900);
        appended.add(record);
        Lsn lsn = log.append(record);
        if (slot % 10 == 9) {
          log.log().truncate(new Position(1, slot - 1));
          log.log().flush();
        }
        LogFixture.await().until(() -> !lsn.isAfter(log.durable()) || !log.failures().isEmpty());
      }
      log.close();
      point.off();
      assertThat(log.failures()).as(point.name()).hasSize(1);
      List<LogRecord> found = LogFixture.read(here);
      int durable = (int) log.durable().value();
      int lastCheckpoint = Math.max(0, durable / 10 * 10 - 1);
      assertThat(Collections.indexOfSubList(appended, found)).as(point.name()).isNotNegative();
      assertThat(found).as(point.name()).containsAll(appended.subList(lastCheckpoint, durable));
    }
  }

  @Test
  void anotherReplicasLogIsRefused() throws Exception {
    try (LogFixture log = new LogFixture(directory, SMALL)) {
      log.awaitDurable(log.append(decided(1)));
    }
    List<LogIdentity> others =
        List.of(
            new LogIdentity(new UUID(1, 3), IDENTITY.group(), IDENTITY.node()),
            new LogIdentity(IDENTITY.cluster(), new GroupId(4), IDENTITY.node()),
            new LogIdentity(IDENTITY.cluster(), IDENTITY.group(), new NodeId("n2")));
    for (LogIdentity other : others) {
      assertThatThrownBy(
              () -> ReplicaLog.open(directory, end(directory), other, SMALL, new NoEvents()))
          .isInstanceOf(ForeignLogException.class)
          .hasMessageContaining("segment-0000000001")
          .hasMessageContaining("node n1 in group 3")
          .hasMessageContaining(other.toString());
    }
  }

  private static final class NoEvents implements ReplicaLog.Events {
    @Override
    public void durable(Lsn through) {
      throw new AssertionError(through);
    }

    @Override
    public void failed(IOException cause) {
      throw new AssertionError(cause);
    }
  }

  @Test
  void aLogOfAnotherVersionIsRefused() throws Exception {
    LogFixture.read(directory);
    Path file = LogFixture.lastSegment(directory);
    byte[] bytes = Files.readAllBytes(file);
    bytes[11] = 2;
    Files.write(file, bytes);
    assertThatThrownBy(() -> LogFixture.read(directory))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("version 2");
  }

  @Test
  void theQueueIsBounded() throws Exception {
    LogSettings fewRecords = new LogSettings(8 << 10, 2 << 10, Duration.ofHours(1), 10, 64 << 20);
    fillUp(new LogFixture(directory.resolve("records"), fewRecords), 10, 10);
    LogSettings fewBytes = new LogSettings(8 << 10, 2 << 10, Duration.ofHours(1), 1 << 16, 100_000);
    fillUp(new LogFixture(directory.resolve("bytes"), fewBytes), 8, 10_000);
  }

  private void fillUp(LogFixture log, int fitting, int bytes) throws Exception {
    LogFixture.await().until(LogFixture::isParked);
    assertThat(log.log().hasRoom()).isTrue();
    for (int slot = 0; slot < fitting; slot++) {
      log.append(proposed(slot, bytes), false);
    }
    assertThat(log.log().hasRoom()).isFalse();
    assertThat(log.failures()).isEmpty();
    for (int slot = 0; slot < 3; slot++) {
      log.append(proposed(fitting + slot, bytes), false);
    }
    LogFixture.await().until(() -> !log.failures().isEmpty());
    assertThat(log.failures().get(0)).hasMessageContaining("queueBytes");
    log.close();
    assertThat(log.failures()).hasSize(1);
    assertThat(log.durable().value()).isLessThanOrEqualTo(fitting);
  }

  @Test
  void lsnsHaveNoGaps() throws Exception {
    try (LogFixture log = new LogFixture(directory, SMALL)) {
      assertThatThrownBy(() -> log.log().append(new Lsn(2), decided(1), false))
          .isInstanceOf(IllegalStateException.class);
      log.append(decided(1));
      assertThatThrownBy(log::replayed).isInstanceOf(IllegalStateException.class);
    }
  }
}
