package io.quorate.consensus.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import java.util.List;
import org.junit.jupiter.api.Test;

class ShareMergeTest {
  private static Share<String> share(String node, long epoch, long applied, long pending) {
    return new Share<>(
        new NodeId(node), epoch, 2, at(applied), at(pending), node + " at " + applied);
  }

  private static Position at(long index) {
    return index < 0 ? Position.NONE : new Position(1, index);
  }

  @Test
  void fewerSharesThanAQuorumSayNothing() {
    assertThat(ShareMerge.merge(List.<Share<String>>of()))
        .isEqualTo(new Merged.Incomplete<String>());
    assertThat(ShareMerge.merge(List.of(share("a", 1, 7, -1))))
        .isEqualTo(new Merged.Incomplete<String>());
  }

  @Test
  void aReplicaCountsOnce() {
    assertThat(ShareMerge.merge(List.of(share("a", 1, 7, -1), share("a", 1, 8, -1))))
        .isEqualTo(new Merged.Incomplete<String>());
  }

  @Test
  void theNewestShareAnswersIfItCoversEverythingPending() {
    assertThat(ShareMerge.merge(List.of(share("a", 1, 5, 7), share("b", 1, 7, -1))))
        .isEqualTo(new Merged.Answer<>(at(7), "b at 7"));
  }

  @Test
  void aPendingWriteBeyondTheNewestShareIsABarrier() {
    assertThat(ShareMerge.merge(List.of(share("a", 1, 5, 9), share("b", 1, 7, -1))))
        .isEqualTo(new Merged.Wait<String>(1, at(9)));
    assertThat(ShareMerge.merge(List.of(share("a", 1, 5, -1), share("b", 1, 7, 8))))
        .isEqualTo(new Merged.Wait<String>(1, at(8)));
  }

  /** Whoever has executed a write has forgotten that it was pending. */
  @Test
  void appliedPositionsCountAsWellAsPendingOnes() {
    assertThat(ShareMerge.merge(List.of(share("a", 1, 3, -1), share("b", 1, 9, -1))))
        .isEqualTo(new Merged.Answer<>(at(9), "b at 9"));
  }

  @Test
  void sharesOfDifferentConfigurationsDoNotMix() {
    assertThat(ShareMerge.merge(List.of(share("a", 1, 5, -1), share("b", 2, 7, -1))))
        .isEqualTo(new Merged.StartOver<String>());
  }

  /** L11: a write that is acknowledged, and that neither has applied, is missed. */
  @Test
  void theRuleWithoutBarrierAnswersWhateverIsPending() {
    assertThat(
            ShareMerge.merge(List.of(share("a", 1, 5, 9), share("b", 1, 7, 9)), QuorumRule.NEWEST))
        .isEqualTo(new Merged.Answer<>(at(7), "b at 7"));
  }

  @Test
  void aStateThatKnowsANewerConfigurationDoesNotAnswer() {
    assertThat(ShareMerge.stillValid(1, 1)).isTrue();
    assertThat(ShareMerge.stillValid(1, 2)).isFalse();
  }
}
