package io.quorate.rabia.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.Command;
import io.quorate.consensus.ProposeResult;
import io.quorate.model.NodeId;
import io.quorate.rabia.core.Settings;
import io.quorate.rabia.core.step.Effect;
import io.quorate.rabia.protocol.BatchId;
import io.quorate.rabia.protocol.Digest;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ProposalsTest {
  private static final Settings.Bounds BATCH =
      Settings.Bounds.DEFAULT.toBuilder().batchCommands(1_000).batchBytes(1_000).build();
  private static final long BATCH_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final Proposals proposals = new Proposals(10_000, 1 << 20, BATCH);
  private long now = -5;
  private long batches;

  @Test
  void aSingleCommandNeverWaits() {
    for (int i = 0; i < 10; i++) {
      complete(1);
      offer(1);
      assertThat(proposals.needsThread()).isTrue();
      assertThat(proposals.isDue(now)).isTrue();
      assertThat(proposals.take()).hasSize(1);
    }
  }

  @Test
  void commandsWaitForThoseThatAreExpected() {
    complete(16);
    offer(11);
    assertThat(proposals.isDue(now)).isFalse();
    assertThat(proposals.needsThread()).isFalse();
    assertThat(proposals.waitEnd().getAsLong()).isGreaterThan(now);
    offer(1);
    assertThat(proposals.needsThread()).isTrue();
    assertThat(proposals.isDue(now)).isTrue();
    assertThat(proposals.take()).hasSize(12);
    assertThat(proposals.waitEnd()).isEmpty();
    assertThat(proposals.isDue(now)).isFalse();
  }

  @Test
  void commandsWaitForAPartOfTheDurationOfABatch() {
    complete(16);
    offer(1);
    assertThat(proposals.isDue(now)).isFalse();
    long end = proposals.waitEnd().getAsLong();
    assertThat(end - now).isBetween(1L, BATCH_NANOS / 8);
    now = end - 1;
    assertThat(proposals.isDue(now)).isFalse();
    assertThat(proposals.waitEnd()).hasValue(end);
    now = end;
    assertThat(proposals.isDue(now)).isTrue();
  }

  @Test
  void commandsThatFillABatchDoNotWait() {
    complete(16);
    offer(1);
    assertThat(proposals.isDue(now)).isFalse();
    proposals.offer(new Command(ByteBuffer.allocate(BATCH.batchBytes())));
    assertThat(proposals.needsThread()).isTrue();
    assertThat(proposals.isDue(now)).isTrue();
  }

  @Test
  void nothingWaitsAfterTheOfferedCommandsHaveFailed() {
    complete(16);
    offer(1);
    assertThat(proposals.isDue(now)).isFalse();
    proposals.failAll("test");
    assertThat(proposals.waitEnd()).isEmpty();
    assertThat(proposals.needsThread()).isTrue();
  }

  /** The core has one batch ahead; it could not give back more than that. */
  @Test
  void whatIsMoreThanABatchWaitsHereAndMayBeWithdrawn() {
    int bytes = BATCH.batchBytes();
    Command command = new Command(ByteBuffer.allocate(1));
    proposals.offer(new Command(ByteBuffer.allocate(bytes)));
    CompletableFuture<ProposeResult> outcome = proposals.offer(command);
    assertThat(proposals.isDue(now)).isTrue();
    assertThat(proposals.take()).hasSize(1);
    assertThat(proposals.isDue(now)).as("a batch is ready").isFalse();
    assertThat(command.withdraw()).isTrue();

    proposals.batched(new Effect.Batched(nextId(), 1), now);
    assertThat(proposals.isDue(now)).isTrue();
    assertThat(proposals.take()).isEmpty();
    assertThat(outcome).isCompletedExceptionally();
    assertThat(proposals.withdrawnCommands()).isEqualTo(1);
    assertThat(proposals.waitingCommands()).isZero();
    assertThat(proposals.waitingBytes()).isZero();
  }

  @Test
  void aCommandThatTheCoreHasCannotBeWithdrawn() {
    Command command = new Command(ByteBuffer.allocate(1));
    proposals.offer(command);
    assertThat(proposals.isDue(now)).isTrue();
    assertThat(proposals.take()).hasSize(1);
    assertThat(command.withdraw()).isFalse();
  }

  @Test
  void commandsThatTheCoreRefusesMakeRoomForOthers() {
    proposals.offer(new Command(ByteBuffer.allocate(BATCH.batchBytes())));
    offer(1);
    assertThat(proposals.isDue(now)).isTrue();
    assertThat(proposals.take()).hasSize(1);
    proposals.refused(new Effect.Refused(1, Effect.Refused.Reason.FULL));
    assertThat(proposals.isDue(now)).isTrue();
    assertThat(proposals.take()).hasSize(1);
  }

  /** Executes a batch of this many commands. */
  private void complete(int commands) {
    offer(commands);
    proposals.take();
    BatchId id = nextId();
    proposals.batched(new Effect.Batched(id, commands), now);
    now += BATCH_NANOS;
    assertThat(proposals.executed(id, now)).hasSize(commands);
  }

  private BatchId nextId() {
    return new BatchId(new NodeId("n1"), 1, batches++, new Digest(0, batches));
  }

  private void offer(int commands) {
    for (int i = 0; i < commands; i++) {
      proposals.offer(new Command(ByteBuffer.allocate(1)));
    }
  }
}
