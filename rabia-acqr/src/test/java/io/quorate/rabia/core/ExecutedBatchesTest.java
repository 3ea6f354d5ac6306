package io.quorate.rabia.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.model.NodeId;
import io.quorate.rabia.protocol.Batch;
import io.quorate.rabia.protocol.BatchId;
import io.quorate.rabia.protocol.Body;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ExecutedBatchesTest {
  private static final NodeId ORIGIN = new NodeId("n1");

  private static BatchId id(long incarnation, long sequence) {
    return Batch.of(ORIGIN, incarnation, sequence, 0, new Body.Commands(List.of())).id();
  }

  @Test
  void containsTheBatchesThatWereAdded() {
    long seed = 11;
    Random random = new Random(seed);
    Set<BatchId> model = new HashSet<>();
    ExecutedBatches executed = new ExecutedBatches();
    for (int i = 0; i < 5_000; i++) {
      BatchId id = id(random.nextInt(3), i / 10 + random.nextInt(20));
      assertThat(executed.contains(id)).as("seed %d, step %d", seed, i).isEqualTo(!model.add(id));
      executed.add(id);
      if (i % 500 == 0) {
        executed = ExecutedBatches.of(executed.image());
      }
    }
  }

  @Test
  void consecutiveNumbersAreStoredAsAWatermark() {
    ExecutedBatches executed = new ExecutedBatches();
    for (int i = 0; i < 1_000; i++) {
      executed.add(id(1, i));
    }
    assertThat(executed.image().get(ORIGIN))
        .singleElement()
        .satisfies(
            numbers -> {
              assertThat(numbers.watermark()).isEqualTo(1_000);
              assertThat(numbers.beyond()).isEmpty();
            });
  }

  @Test
  void onlyTheLastIncarnationsAreTrackedSeparately() {
    ExecutedBatches executed = new ExecutedBatches();
    for (int incarnation = 0; incarnation <= ExecutedBatches.INCARNATIONS_MAX; incarnation++) {
      executed.add(id(incarnation, 0));
    }
    assertThat(executed.image().get(ORIGIN)).hasSize(ExecutedBatches.INCARNATIONS_MAX);
    assertThat(executed.contains(id(0, 99))).as("of a dropped incarnation").isTrue();
    assertThat(executed.contains(id(1, 99))).isFalse();
    assertThat(executed.contains(id(ExecutedBatches.INCARNATIONS_MAX + 1, 0))).isFalse();
  }
}
