package io.quorate.rabia.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.model.Position;
import io.quorate.rabia.core.step.Lsn;
import io.quorate.rabia.protocol.Batch;
import io.quorate.rabia.protocol.Decided;
import io.quorate.rabia.protocol.LogRecord;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DecisionReaderTest {
  private static final int ALPHA = 16;
  private static final int SLOTS = 400;

  @TempDir private Path directory;

  private final List<Decided> decisions = new ArrayList<>();

  /** Slots of one window are proposed and decided in random order; some are decided null. */
  private List<LogRecord> history(Random random) {
    List<LogRecord> records = new ArrayList<>();
    for (int first = 0; first < SLOTS; first += ALPHA) {
      List<LogRecord> window = new ArrayList<>();
      List<LogRecord> outcomes = new ArrayList<>();
      for (int slot = first; slot < first + ALPHA; slot++) {
        LogRecord.Proposed proposed = (LogRecord.Proposed) LogFixture.proposed(slot, 300);
        Batch batch = proposed.batch().orElseThrow();
        switch (random.nextInt(3)) {
          case 0 -> {
            decisions.add(Decided.NULL);
            outcomes.add(LogFixture.decided(slot));
          }
          case 1 -> {
            decisions.add(new Decided(batch.id(), Optional.of(batch)));
            window.add(proposed);
            outcomes.add(decided(slot, new Decided(batch.id(), Optional.empty())));
          }
          default -> {
            decisions.add(new Decided(batch.id(), Optional.of(batch)));
            outcomes.add(decided(slot, decisions.get(slot)));
          }
        }
      }
      Collections.shuffle(window, random);
      Collections.shuffle(outcomes, random);
      records.addAll(window);
      records.addAll(outcomes);
    }
    return records;
  }

  private static LogRecord decided(long slot, Decided decided) {
    return new LogRecord.SlotDecided(new Position(1, slot), decided);
  }

  private List<Decided> readFrom(DecisionReader reader, long from) throws IOException {
    List<Decided> read = new ArrayList<>();
    List<Decided> next = reader.read(from, 7, 1_000);
    while (!next.isEmpty()) {
      assertThat(next).hasSizeLessThanOrEqualTo(7);
      read.addAll(next);
      next = reader.read(from + read.size(), 7, 1_000);
    }
    return read;
  }

  @Test
  void readsEveryDecisionWithItsBodyFromAnySlot() throws IOException {
    long seed = 11;
    List<LogRecord> records = history(new Random(seed));
    try (LogFixture log = new LogFixture(directory, LogFixture.SMALL)) {
      log.appendAll(records);
      log.awaitDurable(new Lsn(records.size()));
      for (int from : new int[] {0, 1, 100, 399}) {
        assertThat(readFrom(log.log().decisions(), from))
            .as("seed %d, from %d", seed, from)
            .isEqualTo(decisions.subList(from, SLOTS));
      }
      assertThat(readFrom(log.log().decisions(), SLOTS)).isEmpty();
    }
  }

  @Test
  void fillsAResponseFromSlotsThatWereDecidedOneAfterAnother() throws IOException {
    List<LogRecord> records = new ArrayList<>();
    for (int slot = 0; slot < 100; slot++) {
      records.add(LogFixture.proposed(slot, 300));
      records.add(LogFixture.decided(slot));
    }
    try (LogFixture log = new LogFixture(directory, LogFixture.SMALL)) {
      log.appendAll(records);
      log.awaitDurable(new Lsn(records.size()));
      DecisionReader reader = log.log().decisions();

      assertThat(reader.read(0, 50, 1_000)).hasSize(50);
      assertThat(reader.read(50, 256, 1_000)).hasSize(50);
      assertThat(reader.read(100, 256, 1_000)).isEmpty();
    }
  }

  @Test
  void readsDecisionsAppendedAfterAnEarlierRead() throws IOException {
    List<LogRecord> records = history(new Random(12));
    int half = records.size() / 2;
    try (LogFixture log = new LogFixture(directory, LogFixture.SMALL)) {
      log.appendAll(records.subList(0, half));
      log.awaitDurable(new Lsn(half));
      DecisionReader reader = log.log().decisions();
      int read = readFrom(reader, 0).size();
      log.appendAll(records.subList(half, records.size()));
      log.awaitDurable(new Lsn(records.size()));

      assertThat(readFrom(reader, read)).isEqualTo(decisions.subList(read, SLOTS));
    }
  }

  @Test
  void findsNoTruncatedDecision() throws IOException {
    List<LogRecord> records = history(new Random(13));
    try (LogFixture log = new LogFixture(directory, LogFixture.SMALL)) {
      log.appendAll(records);
      Lsn checkpointed = log.append(LogFixture.checkpointed(SLOTS - 1));
      log.awaitDurable(checkpointed);
      log.log().truncate(new Position(1, SLOTS - 1));
      log.log().flush();

      assertThat(readFrom(log.log().decisions(), 0)).isEmpty();
    }
  }
}
