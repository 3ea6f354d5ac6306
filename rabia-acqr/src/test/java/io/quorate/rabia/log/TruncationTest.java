package io.quorate.rabia.log;

import static io.quorate.rabia.log.LogFixture.SMALL;
import static io.quorate.rabia.log.LogFixture.checkpointed;
import static io.quorate.rabia.log.LogFixture.decided;
import static io.quorate.rabia.log.LogFixture.proposed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.common.DamagedLogException;
import io.quorate.model.Position;
import io.quorate.rabia.core.step.Lsn;
import io.quorate.rabia.protocol.LogRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TruncationTest {
  @TempDir private Path directory;

  @Test
  void recordsThatTheCoreNeedsAreKept() throws Exception {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int run = 0; run < 30; run++) {
      truncateAndCheck(random, directory.resolve("run" + run), "seed " + seed + ", run " + run);
    }
  }

  /** Appends random records with checkpoints among them, and truncates at some checkpoints. */
  private void truncateAndCheck(Random random, Path path, String description) throws Exception {
    List<LogRecord> appended = new ArrayList<>();
    Position truncated = Position.NONE;
    long executed = 0;
    try (LogFixture log = new LogFixture(path, SMALL)) {
      for (int step = 0; step < 150; step++) {
        executed += random.nextInt(3);
        LogRecord record = record(random, executed);
        appended.add(record);
        Lsn lsn = log.append(record);
        if (record instanceof LogRecord.Checkpointed checkpointed && random.nextBoolean()) {
          log.awaitDurable(lsn);
          truncated = checkpointed.checkpoint().at();
          log.log().truncate(truncated);
        }
      }
    }
    requireNeeded(path, appended, truncated, description);
  }

  private static LogRecord record(Random random, long executed) {
    return switch (random.nextInt(10)) {
      case 0 -> checkpointed(executed);
      case 1 -> new LogRecord.Reservation(1, executed + 100);
      case 2, 3 -> decided(executed + 1 + random.nextInt(20));
      default -> proposed(executed + 1 + random.nextInt(20), random.nextInt(1000));
    };
  }

  private static void requireNeeded(
      Path path, List<LogRecord> appended, Position truncated, String description)
      throws Exception {
    try (LogFixture log = new LogFixture(path, SMALL)) {
      List<LogRecord> found = log.replayed();
      assertThat(Collections.lastIndexOfSubList(appended, found)).as(description).isNotNegative();
      List<LogRecord> needed = needed(appended, truncated);
      assertThat(found).as(description).containsAll(needed);
      assertThat(lastReservation(found)).as(description).isEqualTo(lastReservation(appended));
      if (!truncated.equals(Position.NONE)) {
        assertThat(log.log().newestCheckpointAtOrBefore(truncated))
            .as(description)
            .get()
            .extracting(record -> record.checkpoint().at())
            .isEqualTo(truncated);
      }
    }
  }

  /**
   * The records that {@link io.quorate.rabia.core.step.Effect.Truncate} requires the log to keep.
   */
  private static List<LogRecord> needed(List<LogRecord> appended, Position truncated) {
    int lastCheckpoint = -1;
    for (int i = 0; i < appended.size(); i++) {
      if (appended.get(i) instanceof LogRecord.Checkpointed c
          && truncated.covers(c.checkpoint().at())) {
        lastCheckpoint = i;
      }
    }
    List<LogRecord> needed = new ArrayList<>();
    for (int i = 0; i < appended.size(); i++) {
      LogRecord record = appended.get(i);
      if (record instanceof LogRecord.OfSlot ofSlot
          ? ofSlot.at().index() > truncated.index()
          : i >= lastCheckpoint) {
        needed.add(record);
      }
    }
    return needed;
  }

  private static LogRecord.Reservation lastReservation(List<LogRecord> records) {
    LogRecord.Reservation last = null;
    for (LogRecord record : records) {
      if (record instanceof LogRecord.Reservation reservation) {
        last = reservation;
      } else if (record instanceof LogRecord.Checkpointed checkpointed) {
        last = checkpointed.reservation();
      }
    }
    return last;
  }

  @Test
  void truncationFreesDiskSpace() throws Exception {
    try (LogFixture log = new LogFixture(directory, SMALL)) {
      fill(log, 0, 100);
      long full = log.log().counters().bytesOnDisk();
      assertThat(full).isEqualTo(sizeOfFiles());
      log.awaitDurable(log.append(checkpointed(99)));
      log.log().truncate(new Position(1, 99));
      log.log().flush();
      LogFixture.await().until(() -> log.log().counters().bytesOnDisk() < full / 4);
      LogFixture.await().until(() -> log.log().counters().bytesOnDisk() == sizeOfFiles());
    }
    try (LogFixture log = new LogFixture(directory, SMALL)) {
      assertThat(log.log().counters().bytesOnDisk()).isEqualTo(sizeOfFiles());
    }
  }

  /** The log may delete some of the files concurrently. */
  private long sizeOfFiles() throws IOException {
    long size = 0;
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        try {
          size += Files.size(file);
        } catch (NoSuchFileException e) {
          continue;
        }
      }
    }
    return size;
  }

  private static void fill(LogFixture log, int from, int to) {
    for (int slot = from; slot < to; slot++) {
      log.awaitDurable(log.append(proposed(slot, 900)));
    }
  }

  @Test
  void theNewestCheckpointCoveredByTheStateIsFound() throws Exception {
    try (LogFixture log = new LogFixture(directory, SMALL)) {
      log.append(checkpointed(10));
      fill(log, 11, 31);
      log.append(checkpointed(30));
    }
    try (LogFixture log = new LogFixture(directory, SMALL)) {
      assertThat(log.log().newestCheckpointAtOrBefore(Position.NONE)).isEmpty();
      assertThat(log.log().newestCheckpointAtOrBefore(new Position(1, 9))).isEmpty();
      assertThat(log.log().newestCheckpointAtOrBefore(new Position(1, 10)))
          .contains(checkpointed(10));
      assertThat(log.log().newestCheckpointAtOrBefore(new Position(1, 29)))
          .contains(checkpointed(10));
      assertThat(log.log().newestCheckpointAtOrBefore(new Position(9, 1000)))
          .contains(checkpointed(30));
    }
  }

  @Test
  void aStateOlderThanTheLogIsRefused() throws Exception {
    try (LogFixture log = new LogFixture(directory, SMALL)) {
      fill(log, 0, 60);
      log.awaitDurable(log.append(checkpointed(50)));
      log.log().truncate(new Position(1, 50));
    }
    try (LogFixture log = new LogFixture(directory, SMALL)) {
      assertThat(log.log().newestCheckpointAtOrBefore(new Position(1, 50))).isPresent();
      assertThatThrownBy(() -> log.log().newestCheckpointAtOrBefore(new Position(1, 49)))
          .isInstanceOf(DamagedLogException.class)
          .hasMessageContaining(directory.toString())
          .hasMessageContaining("byte ")
          .hasMessageContaining("1:49");
    }
  }

  /** A checkpoint that is not durable could be lost, and with it the state that it represents. */
  @Test
  void onlyDurableCheckpointsMakeRecordsUnneeded() {
    Retention retention = new Retention();
    retention.begin(1);
    retention.note(decided(1), 1);
    retention.begin(2);
    retention.note(checkpointed(5), 2);
    retention.begin(3);
    assertThat(retention.release(new Position(1, 5), 1)).isEmpty();
    assertThat(retention.release(new Position(1, 5), 2)).containsExactly(1L);
    assertThat(retention.release(new Position(1, 5), 2)).isEmpty();
  }
}
