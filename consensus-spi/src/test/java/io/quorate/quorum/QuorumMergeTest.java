package io.quorate.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.model.NodeId;
import io.quorate.model.Position;
import java.util.List;
import org.junit.jupiter.api.Test;

class QuorumMergeTest {
  private static ReadReply<String> reply(String node, long epoch, long applied, long pending) {
    return new ReadReply<>(
        new NodeId(node), epoch, 2, at(applied), at(pending), node + " at " + applied);
  }

  private static Position at(long index) {
    return index < 0 ? Position.NONE : new Position(1, index);
  }

  @Test
  void fewerRepliesThanAQuorumAreIncomplete() {
    assertThat(QuorumMerge.merge(List.<ReadReply<String>>of()))
        .isEqualTo(new Merged.Incomplete<String>());
    assertThat(QuorumMerge.merge(List.of(reply("a", 1, 7, -1))))
        .isEqualTo(new Merged.Incomplete<String>());
  }

  @Test
  void aReplicaCountsOnce() {
    assertThat(QuorumMerge.merge(List.of(reply("a", 1, 7, -1), reply("a", 1, 8, -1))))
        .isEqualTo(new Merged.Incomplete<String>());
  }

  @Test
  void theNewestReplyIsTheResultIfItCoversEveryPendingWrite() {
    assertThat(QuorumMerge.merge(List.of(reply("a", 1, 5, 7), reply("b", 1, 7, -1))))
        .isEqualTo(new Merged.Value<>(at(7), "b at 7"));
  }

  @Test
  void aPendingWriteBeyondTheNewestReplyIsABarrier() {
    assertThat(QuorumMerge.merge(List.of(reply("a", 1, 5, 9), reply("b", 1, 7, -1))))
        .isEqualTo(new Merged.Wait<String>(1, at(9)));
    assertThat(QuorumMerge.merge(List.of(reply("a", 1, 5, -1), reply("b", 1, 7, 8))))
        .isEqualTo(new Merged.Wait<String>(1, at(8)));
  }

  /** A replica that has executed a write no longer reports it as pending. */
  @Test
  void appliedPositionsCountAsWellAsPendingOnes() {
    assertThat(QuorumMerge.merge(List.of(reply("a", 1, 3, -1), reply("b", 1, 9, -1))))
        .isEqualTo(new Merged.Value<>(at(9), "b at 9"));
  }

  @Test
  void repliesOfDifferentConfigurationsAreNotMerged() {
    assertThat(QuorumMerge.merge(List.of(reply("a", 1, 5, -1), reply("b", 2, 7, -1))))
        .isEqualTo(new Merged.StartOver<String>());
  }

  /** Rule L11: a write that is acknowledged, and that neither replica has applied, is missed. */
  @Test
  void theNewestRuleIgnoresPendingWrites() {
    assertThat(
            QuorumMerge.merge(List.of(reply("a", 1, 5, 9), reply("b", 1, 7, 9)), QuorumRule.NEWEST))
        .isEqualTo(new Merged.Value<>(at(7), "b at 7"));
  }

  @Test
  void aStateOfANewerConfigurationIsNotValid() {
    assertThat(QuorumMerge.stillValid(1, 1)).isTrue();
    assertThat(QuorumMerge.stillValid(1, 2)).isFalse();
  }
}
