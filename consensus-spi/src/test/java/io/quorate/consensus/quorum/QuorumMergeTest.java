package io.quorate.consensus.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import java.util.List;
import org.junit.jupiter.api.Test;

class QuorumMergeTest {
  private static ReadReply<String> share(String node, long epoch, long applied, long pending) {
    return new ReadReply<>(
        new NodeId(node), epoch, 2, at(applied), at(pending), node + " at " + applied);
  }

  private static Position at(long index) {
    return index < 0 ? Position.NONE : new Position(1, index);
  }

  @Test
  void fewerSharesThanAQuorumSayNothing() {
    assertThat(QuorumMerge.merge(List.<ReadReply<String>>of()))
        .isEqualTo(new Merged.Incomplete<String>());
    assertThat(QuorumMerge.merge(List.of(share("a", 1, 7, -1))))
        .isEqualTo(new Merged.Incomplete<String>());
  }

  @Test
  void aReplicaCountsOnce() {
    assertThat(QuorumMerge.merge(List.of(share("a", 1, 7, -1), share("a", 1, 8, -1))))
        .isEqualTo(new Merged.Incomplete<String>());
  }

  @Test
  void theNewestShareAnswersIfItCoversEverythingPending() {
    assertThat(QuorumMerge.merge(List.of(share("a", 1, 5, 7), share("b", 1, 7, -1))))
        .isEqualTo(new Merged.Answer<>(at(7), "b at 7"));
  }

  @Test
  void aPendingWriteBeyondTheNewestShareIsABarrier() {
    assertThat(QuorumMerge.merge(List.of(share("a", 1, 5, 9), share("b", 1, 7, -1))))
        .isEqualTo(new Merged.Wait<String>(1, at(9)));
    assertThat(QuorumMerge.merge(List.of(share("a", 1, 5, -1), share("b", 1, 7, 8))))
        .isEqualTo(new Merged.Wait<String>(1, at(8)));
  }

  /** Whoever has executed a write has forgotten that it was pending. */
  @Test
  void appliedPositionsCountAsWellAsPendingOnes() {
    assertThat(QuorumMerge.merge(List.of(share("a", 1, 3, -1), share("b", 1, 9, -1))))
        .isEqualTo(new Merged.Answer<>(at(9), "b at 9"));
  }

  @Test
  void sharesOfDifferentConfigurationsDoNotMix() {
    assertThat(QuorumMerge.merge(List.of(share("a", 1, 5, -1), share("b", 2, 7, -1))))
        .isEqualTo(new Merged.StartOver<String>());
  }

  /** L11: a write that is acknowledged, and that neither has applied, is missed. */
  @Test
  void theRuleWithoutBarrierAnswersWhateverIsPending() {
    assertThat(
            QuorumMerge.merge(List.of(share("a", 1, 5, 9), share("b", 1, 7, 9)), QuorumRule.NEWEST))
        .isEqualTo(new Merged.Answer<>(at(7), "b at 7"));
  }

  @Test
  void aStateThatKnowsANewerConfigurationDoesNotAnswer() {
    assertThat(QuorumMerge.stillValid(1, 1)).isTrue();
    assertThat(QuorumMerge.stillValid(1, 2)).isFalse();
  }
}
