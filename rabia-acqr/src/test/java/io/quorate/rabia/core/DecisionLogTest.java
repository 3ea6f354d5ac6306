package io.quorate.rabia.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.Member;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.rabia.protocol.Batch;
import io.quorate.rabia.protocol.BatchId;
import io.quorate.rabia.protocol.Body;
import io.quorate.rabia.protocol.Checkpoint;
import io.quorate.rabia.protocol.Configuration;
import io.quorate.rabia.protocol.Decided;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DecisionLogTest {
  private static final NodeId SELF = new NodeId("n1");
  private static final Member MEMBER = member("n1");
  private static final int TAIL = 10;

  private final Settings settings = settings();
  private final Checkpoint initial = Checkpoint.initial(Configuration.first(List.of(MEMBER)));
  private final DecisionLog decisions = new DecisionLog(SELF, settings, initial);

  private static Member member(String id) {
    return new Member(new NodeId(id), InetSocketAddress.createUnresolved(id, 1));
  }

  private static Settings settings() {
    Settings.Bounds small =
        Settings.Bounds.DEFAULT.toBuilder().tailSlots(TAIL).tailBytes(100).build();
    return new Settings(Settings.Policy.OWNED, 16, Settings.Timing.DEFAULT, small);
  }

  private static Batch batch(long sequence, int bytes) {
    Body body = new Body.Commands(List.of(ByteBuffer.allocate(bytes)));
    return Batch.of(SELF, 1, sequence, 0, body);
  }

  private void append(long index, Batch batch) {
    decisions.append(new Position(1, index), batch == null ? BatchId.NONE : batch.id(), batch);
  }

  @Test
  void keepsSlotsAndBytesUpToItsBounds() {
    for (int i = 0; i < 50; i++) {
      append(i, null);
    }
    assertThat(decisions.holds(39)).isFalse();
    assertThat(decisions.holds(40)).isTrue();
    assertThat(decisions.decided(45, 3, 0))
        .containsExactly(Decided.NULL, Decided.NULL, Decided.NULL);

    append(50, batch(0, 60));
    append(51, batch(1, 60));
    assertThat(decisions.holds(50)).as("two bodies exceed the bound in bytes").isFalse();
    assertThat(decisions.decided(51, 8, 0))
        .containsExactly(new Decided(batch(1, 60).id(), Optional.of(batch(1, 60))));
  }

  @Test
  void aResultHasAtLeastOneSlotAndAtMostTheRequestedBytes() {
    for (int i = 0; i < 3; i++) {
      append(i, batch(i, 16));
    }
    assertThat(decisions.decided(0, 8, 1)).hasSize(1);
    assertThat(decisions.decided(0, 8, 40)).hasSize(2);
    assertThat(decisions.decided(0, 8, 1_000)).hasSize(3);
  }

  /** A checkpoint does not depend on the slots that have left the tail. */
  @Test
  void aCheckpointReflectsAllSlotsUpToItsPosition() {
    long seed = 3;
    Random random = new Random(seed);
    Map<Long, Checkpoint> checkpoints = new HashMap<>();
    for (long i = 0; i < 300; i++) {
      append(i, random.nextInt(3) == 0 ? null : batch(random.nextInt(200), 1));
      checkpoints.put(i, decisions.checkpointAt(i).orElseThrow());
      long earlier = i - random.nextInt(TAIL);
      if (earlier >= 0) {
        assertThat(decisions.checkpointAt(earlier))
            .as("seed %d, slot %d", seed, i)
            .contains(checkpoints.get(earlier));
      }
    }
    assertThat(decisions.checkpointAt(100)).isEmpty();
    assertThat(decisions.checkpointAt(300)).isEmpty();
  }

  @Test
  void checkpointsHoldTheOldConfigurationWhileItDecidesSlots() {
    Body change = new Body.Reconfiguration(1, 0, List.of(MEMBER, member("n2")));
    append(0, Batch.of(SELF, 1, 0, 0, change));
    append(1, Batch.of(SELF, 1, 1, 0, change));
    assertThat(decisions.checkpointAt(1).orElseThrow().configurations())
        .as("the second one is based on an epoch that is no longer the latest")
        .extracting(Configuration::start)
        .containsExactly(0L, 16L);
    for (int i = 2; i < 40; i++) {
      append(i, null);
    }
    assertThat(decisions.checkpointAt(39).orElseThrow().configurations())
        .extracting(Configuration::epoch)
        .containsExactly(2L);
  }
}
