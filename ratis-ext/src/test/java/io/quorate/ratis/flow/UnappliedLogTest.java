package io.quorate.ratis.flow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class UnappliedLogTest {
  private final UnappliedLog log = new UnappliedLog(4, 100);

  @Test
  void itIsFullAtTheBoundOnEntriesUntilHalfAreDelivered() {
    for (int index = 7; index < 10; index++) {
      log.logged(index, 1);
      assertThat(log.isFull()).isFalse();
    }
    log.logged(10, 1);
    assertThat(log.isFull()).isTrue();
    log.handedOver(7);
    assertThat(log.isFull()).isTrue();
    log.handedOver(8);
    assertThat(log.isFull()).isFalse();
    assertThat(log.entries()).isEqualTo(2);
  }

  @Test
  void itIsFullAtTheBoundOnBytesUntilHalfAreDelivered() {
    log.logged(1, 60);
    log.logged(2, 70);
    assertThat(log.isFull()).isTrue();
    assertThat(log.bytes()).isEqualTo(130);
    log.handedOver(1);
    assertThat(log.isFull()).isTrue();
    log.handedOver(2);
    assertThat(log.isFull()).isFalse();
    assertThat(log.bytes()).isZero();
  }

  /** Entries may be received again, and each is reported once more when it is applied. */
  @Test
  void anEntryCountsOnce() {
    log.logged(1, 10);
    log.logged(2, 10);
    log.logged(1, 10);
    log.logged(2, 10);
    assertThat(log.entries()).isEqualTo(2);
    assertThat(log.bytes()).isEqualTo(20);
  }

  @Test
  void truncatedEntriesFreeCapacityForTheirReplacements() {
    for (int index = 1; index <= 4; index++) {
      log.logged(index, 10);
    }
    log.truncated(2);
    assertThat(log.isFull()).isFalse();
    log.logged(2, 30);
    assertThat(log.entries()).isEqualTo(2);
    assertThat(log.bytes()).isEqualTo(40);
  }

  @Test
  void aSnapshotReplacesAllEntriesUpToItsPosition() {
    for (int index = 1; index <= 4; index++) {
      log.logged(index, 10);
    }
    log.handedOver(1_000);
    assertThat(log.isFull()).isFalse();
    assertThat(log.entries()).isZero();
    log.logged(1_001, 10);
    assertThat(log.entries()).isEqualTo(1);
  }

  /** A comparison with a model that keeps every entry. */
  @Test
  void agreesWithAMapOfEveryEntry() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    TreeMap<Long, Long> model = new TreeMap<>();
    long last = 0;
    long delivered = 0;
    for (int step = 0; step < 10_000; step++) {
      switch (random.nextInt(4)) {
        case 0 -> {
          long first = delivered + 1 + random.nextInt(6);
          model.tailMap(first).clear();
          last = Math.min(last, first - 1);
          log.truncated(first);
        }
        case 1 -> {
          delivered = Math.min(last, delivered + random.nextInt(4));
          model.headMap(delivered, true).clear();
          log.handedOver(delivered);
        }
        default -> {
          last++;
          long size = random.nextInt(50);
          model.put(last, size);
          log.logged(last, size);
        }
      }
      assertThat(log.entries()).as("seed %d, step %d", seed, step).isEqualTo(model.size());
      assertThat(log.bytes())
          .as("seed %d, step %d", seed, step)
          .isEqualTo(model.values().stream().mapToLong(Long::longValue).sum());
    }
  }
}
