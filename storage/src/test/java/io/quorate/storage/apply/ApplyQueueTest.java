package io.quorate.storage.apply;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.CommittedBatch;
import io.quorate.consensus.Position;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ApplyQueueTest {
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 50);
  private final ApplyQueue queue = new ApplyQueue(8, 1 << 20, nanos::get);

  private void add(long index, int commands) {
    queue.add(
        new CommittedBatch(
            new Position(1, index),
            Collections.nCopies(commands, ByteBuffer.allocate(10)),
            CommittedBatch.Results.UNWANTED));
  }

  /** The clock passes the highest number meanwhile. */
  @Test
  void theTimeOfABatchCountsForEachOfItsCommands() {
    add(1, 3);
    nanos.addAndGet(100);
    add(2, 1);
    add(3, 5);
    nanos.addAndGet(10);

    assertThat(queue.remove(2)).isEqualTo(3 * 110 + 10);
    nanos.addAndGet(1);
    assertThat(queue.remove(1)).isEqualTo(5 * 11);
    assertThat(queue.isEmpty()).isTrue();
    assertThat(queue.bytes()).isZero();
  }
}
