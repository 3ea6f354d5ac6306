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
import io.quorate.rabia.protocol.Checkpoint;
import io.quorate.rabia.protocol.LogRecord;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
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
      assertThat(
              log.log()
                  .newestCheckpointAtOrBefore(truncated)
                  .map(LogRecord.Checkpointed::checkpoint))
          .as(description)
          .map(Checkpoint::at)
          .isEqualTo(truncated.equals(Position.NONE) ? Optional.empty() : Optional.of(truncated));
      List<LogRecord> found = new ArrayList<>(log.replayed());
      assertThat(lastReservation(found)).as(description).isEqualTo(lastReservation(appended));
      found.removeIf(LogRecord.Reservation.class::isInstance);
      // In order, and nothing that is not needed.
      assertThat(found).as(description).isEqualTo(needed(appended, truncated));
    }
  }

  /**
   * The records that {@link io.quorate.rabia.core.step.Effect.Truncate} requires the log to keep.
   */
  private static List<LogRecord> needed(List<LogRecord> appended, Position truncated) {
    return appended.stream()
        .filter(
            record ->
                record instanceof LogRecord.OfSlot ofSlot
                    ? ofSlot.at().index() > truncated.index()
                    : record instanceof LogRecord.Checkpointed checkpointed
                        && checkpointed.checkpoint().at().index() >= truncated.index())
        .toList();
  }

  private static LogRecord.Reservation lastReservation(List<LogRecord> records) {
    LogRecord.Reservation last = null;
    for (LogRecord record : records) {
      if (record instanceof LogRecord.Reservation reservation) {
        last = reservation;
      }
    }
    return last;
  }

  @Test
  void truncationFreesDiskSpace() throws Exception {
    try (LogFixture log = new LogFixture(directory, SMALL)) {
      fill(log, 0, 100);
      long full = log.log().bytesOnDisk();
      log.awaitDurable(log.append(checkpointed(99)));
      log.log().truncate(new Position(1, 99));
      log.log().flush();
      LogFixture.await().until(() -> log.log().bytesOnDisk() < full / 4);
      assertThat(log.log().liveBytes()).isLessThan(1_000);
    }
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
          .hasMessageContaining("region 3")
          .hasMessageContaining("before slot 51")
          .hasMessageContaining("1:49");
    }
  }

  /** A replica that is behind is sent what is between. */
  @Test
  void recordsAfterAnEarlierCheckpointStay() throws Exception {
    try (LogFixture log = new LogFixture(directory, SMALL)) {
      log.append(checkpointed(10));
      fill(log, 11, 31);
      log.append(checkpointed(30));
      log.log().truncate(new Position(1, 9));
      assertThat(log.node().counters().records()).isPositive();
      assertThat(log.log().decisions().read(11, 1, 1)).isEmpty();
      log.log().truncate(new Position(1, 29));
    }
    try (LogFixture log = new LogFixture(directory, SMALL)) {
      assertThat(log.log().newestCheckpointAtOrBefore(new Position(1, 29)))
          .contains(checkpointed(10));
      assertThat(log.replayed()).hasSize(22);
    }
  }
}
