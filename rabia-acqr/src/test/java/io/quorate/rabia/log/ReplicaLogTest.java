package io.quorate.rabia.log;

import static io.quorate.rabia.log.LogFixture.SMALL;
import static io.quorate.rabia.log.LogFixture.decided;
import static io.quorate.rabia.log.LogFixture.proposed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.common.DamagedLogException;
import io.quorate.common.Failpoint;
import io.quorate.model.GroupId;
import io.quorate.model.Position;
import io.quorate.rabia.core.step.Lsn;
import io.quorate.rabia.protocol.LogRecord;
import io.quorate.replication.log.GroupLog;
import io.quorate.replication.log.GroupLogEvents;
import io.quorate.replication.log.LogPoints;
import io.quorate.replication.log.SharedLog;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReplicaLogTest {
  @TempDir private Path directory;

  @AfterEach
  void disableFailpoints() {
    Failpoint.known().forEach(Failpoint::off);
  }

  /** All records in their order, but for reservations: of those the last one, at the end. */
  private static List<LogRecord> replayed(List<LogRecord> appended) {
    List<LogRecord> expected = new ArrayList<>(appended);
    LogRecord last = null;
    for (LogRecord record : appended) {
      last = record instanceof LogRecord.Reservation ? record : last;
    }
    expected.removeIf(LogRecord.Reservation.class::isInstance);
    if (last != null) {
      expected.add(last);
    }
    return expected;
  }

  @Test
  void appendedRecordsAreReplayedOverManyRuns() throws Exception {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    List<LogRecord> appended = new ArrayList<>();
    for (int run = 0; run < 10; run++) {
      try (LogFixture log = new LogFixture(directory, SMALL)) {
        assertThat(log.replayed()).as("seed %d, run %d", seed, run).isEqualTo(replayed(appended));
        List<LogRecord> added = LogFixture.records(random, random.nextInt(30));
        appended.addAll(added);
        log.appendAll(added);
      }
    }
    assertThat(LogFixture.read(directory)).as("seed %d", seed).isEqualTo(replayed(appended));
  }

  /** The log of the node gives numbers to its own records and to copies, too. */
  @Test
  void whatIsReportedDurableIsCountedInRecordsOfTheReplica() throws Exception {
    try (LogFixture log = new LogFixture(directory, SMALL)) {
      long slot = 0;
      for (int round = 0; round < 50; round++) {
        for (int i = 0; i < round % 4; i++) {
          log.append(proposed(slot++, 400));
        }
        Lsn last = log.append(LogFixture.checkpointed(slot - 1));
        log.awaitDurable(last);
        assertThat(log.durable()).isEqualTo(last);
        log.log().truncate(new Position(1, slot - 1));
      }
      assertThat(log.reported()).isSorted().doesNotHaveDuplicates();
    }
  }

  @Test
  void lazyRecordsCauseNoFsyncAndBecomeDurableWithTheNextOne() throws Exception {
    try (LogFixture log = new LogFixture(directory, SMALL)) {
      long before = log.node().counters().syncs();
      log.append(decided(1), true);
      log.log().flush();
      Lsn urgent = log.append(decided(2));
      log.awaitDurable(urgent);
      assertThat(log.reported()).containsExactly(urgent);
      assertThat(log.node().counters().syncs()).isEqualTo(before + 1);
    }
  }

  @Test
  void lazyRecordsBecomeDurableWithoutUrgentRecords() throws Exception {
    try (LogFixture log =
        new LogFixture(directory, LogFixture.settings(8 << 10, Duration.ofMillis(20)))) {
      Lsn last = log.append(decided(1), true);
      log.log().flush();
      log.awaitDurable(last);
    }
  }

  @Test
  void afterAFailedFsyncNoRecordIsReportedDurable() throws Exception {
    LogFixture log = new LogFixture(directory, SMALL);
    log.awaitDurable(log.append(decided(1)));
    LogPoints.BEFORE_SYNC.on(
        (at, subject) -> {
          throw new IOException("the disk is gone");
        });
    log.append(decided(2));
    LogFixture.await().until(() -> !log.failures().isEmpty());
    LogPoints.BEFORE_SYNC.off();
    log.append(decided(3));
    log.append(decided(4));
    log.log().truncate(new Position(1, 2));
    log.close();
    assertThat(log.failures())
        .singleElement(InstanceOfAssertFactories.THROWABLE)
        .hasMessage("the disk is gone");
    assertThat(log.reported()).containsExactly(new Lsn(1));
  }

  @Test
  void aReplicaCannotBeginInALogThatHasFailed() throws Exception {
    try (SharedLog node = LogFixture.open(directory, SMALL)) {
      LogPoints.BEFORE_SYNC.on(
          (at, subject) -> {
            throw new IOException("the disk is gone");
          });
      assertThatThrownBy(() -> ReplicaLog.open(node, LogFixture.GROUP, Runnable::run, NOTHING))
          .isInstanceOf(IOException.class)
          .hasStackTraceContaining("the disk is gone");
    }
  }

  private static final ReplicaLog.Events NOTHING =
      new ReplicaLog.Events() {
        @Override
        public void durable(Lsn through) {
          // Not of interest.
        }

        @Override
        public void room() {
          // Not of interest.
        }

        @Override
        public void failed(IOException cause) {
          // Not of interest.
        }
      };

  /** A log record is decoded when it is needed; its checksum holds, and this program is older. */
  @Test
  void aRecordThatCannotBeDecodedIsDamage() throws Exception {
    try (SharedLog node = LogFixture.open(directory, SMALL)) {
      GroupLog group = node.create(LogFixture.GROUP, 0, Runnable::run, through(node));
      group.appendEvent(2, new Position(1, 7), new byte[] {99}, false);
      ReplicaLog log = ReplicaLog.open(node, LogFixture.GROUP, Runnable::run, NOTHING);
      assertThat(log.newestCheckpointAtOrBefore(Position.NONE)).isEmpty();
      assertThatThrownBy(() -> log.replay(record -> {}))
          .isInstanceOf(DamagedLogException.class)
          .hasMessageContaining("region 3")
          .hasMessageContaining("1:7");
    }
  }

  private static GroupLogEvents through(SharedLog node) {
    return new GroupLogEvents() {
      @Override
      public void durable(long through) {
        // Not of interest.
      }

      @Override
      public void failed(IOException cause) {
        throw new AssertionError(node.toString(), cause);
      }
    };
  }

  @Test
  void replicasOfANodeDoNotSeeEachOthersRecords() throws Exception {
    try (LogFixture log = new LogFixture(directory, SMALL)) {
      ReplicaLog other = ReplicaLog.open(log.node(), new GroupId(4), Runnable::run, NOTHING);
      log.append(decided(1));
      other.append(new Lsn(1), decided(2), false);
      other.flush();
    }
    assertThat(LogFixture.read(directory)).containsExactly(decided(1));
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
