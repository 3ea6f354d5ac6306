package io.quorate.ratis.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.model.NodeId;
import io.quorate.ratis.heartbeat.GroupTerm;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import org.apache.ratis.protocol.RaftGroupId;
import org.junit.jupiter.api.Test;

class ConfirmationReceiverTest {
  private static final NodeId LEADER = new NodeId("n1");

  private final RaftGroupId first = RaftGroupId.randomId();
  private final RaftGroupId second = RaftGroupId.randomId();
  private final Map<RaftGroupId, Long> terms = Map.of(first, 3L, second, 7L);
  private final ConfirmationReceiver receiver =
      new ConfirmationReceiver(group -> terms.getOrDefault(group, ConfirmationReceiver.NO_REPLICA));

  private BitSet confirmed(GroupTerm... groups) {
    return BitSet.valueOf(
        receiver.respond(LEADER, GroupTerm.encode(List.of(groups))).toCompletableFuture().join());
  }

  @Test
  void eachGroupHasABit() {
    assertThat(
            confirmed(
                new GroupTerm(RaftGroupId.randomId(), 3),
                new GroupTerm(first, 3),
                new GroupTerm(second, 3),
                new GroupTerm(second, 7)))
        .isEqualTo(BitSet.valueOf(new long[] {0b1010}));
  }

  /** A replica in a later term may have elected another; one in an earlier term still may. */
  @Test
  void onlyThePresentTermIsConfirmed() {
    assertThat(confirmed(new GroupTerm(first, 2)).isEmpty()).isTrue();
    assertThat(confirmed(new GroupTerm(first, 4)).isEmpty()).isTrue();
    assertThat(confirmed(new GroupTerm(first, 3)).get(0)).isTrue();
  }

  @Test
  void aGroupWithoutAReplicaIsNotConfirmed() {
    assertThat(
            confirmed(new GroupTerm(RaftGroupId.randomId(), ConfirmationReceiver.NO_REPLICA + 1))
                .isEmpty())
        .isTrue();
  }

  @Test
  void aMalformedRequestFails() {
    assertThat(receiver.respond(LEADER, ByteBuffer.allocate(25)).toCompletableFuture())
        .isCompletedExceptionally();
  }
}
