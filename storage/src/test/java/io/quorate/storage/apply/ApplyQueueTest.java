package io.quorate.storage.apply;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.CommittedBatch;
import io.quorate.model.Key;
import io.quorate.model.Position;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.RequestId;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ApplyQueueTest {
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 50);
  private final ApplyQueue queue = new ApplyQueue(8, 1 << 20, nanos::get);

  private void add(long index, int commands) {
    queue.add(batch(index, commands, ByteBuffer.allocate(10)));
  }

  private static DecodedBatch batch(long index, int commands, ByteBuffer command) {
    return DecodedBatch.of(
        new CommittedBatch(
            new Position(1, index),
            Collections.nCopies(commands, command),
            CommittedBatch.Results.UNWANTED));
  }

  /** Whether the form that a command was decoded to before the batch was added is used after. */
  private boolean keepsDecoded(DecodedBatch batch) {
    ClientCommand before = batch.command(0);
    queue.add(batch);
    return batch.command(0) == before;
  }

  @Test
  void decodedCommandsAreKeptUpToABound() {
    ByteBuffer command =
        new ClientCommand(RequestId.NONE, new Operation.Delete(Key.utf8("k"))).encoded();
    int half = ApplyQueue.DECODED_COMMANDS_MAX / 2;
    assertThat(keepsDecoded(batch(1, half, command))).isTrue();
    assertThat(keepsDecoded(batch(2, half, command))).isTrue();
    assertThat(keepsDecoded(batch(3, 1, command))).isFalse();
    queue.remove(1);
    assertThat(keepsDecoded(batch(4, 1, command))).isTrue();
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
