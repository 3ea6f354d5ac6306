package io.quorate.client.internal.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.internal.call.QuorumRound.Step;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.quorum.QuorumRule;
import io.quorate.quorum.ReadReply;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The replicas that a quorum read queries, and how it evaluates their replies. */
class QuorumRoundTest {
  private static final NodeId N1 = new NodeId("n1");
  private static final NodeId N2 = new NodeId("n2");
  private static final NodeId N3 = new NodeId("n3");
  private static final int EPOCH = 4;

  private final QuorumRound<String> round =
      new QuorumRound<>(List.of(N1, N2, N3), QuorumRule.BARRIER);

  private static Position at(long index) {
    return new Position(EPOCH, index);
  }

  private static ReadReply<String> reply(NodeId node, long applied, long pending) {
    return reply(node, EPOCH, applied, pending);
  }

  private static ReadReply<String> reply(NodeId node, long epoch, long applied, long pending) {
    Position highest = pending < 0 ? Position.NONE : at(pending);
    return new ReadReply<>(node, epoch, 2, at(applied), highest, node + "@" + applied);
  }

  private static Step<String> send(Position atLeast, NodeId... nodes) {
    return new Step.Send<>(List.of(nodes), atLeast);
  }

  private Step<String> replied(ReadReply<String> reply) {
    return round.replied(reply, Position.NONE);
  }

  private void begin() {
    assertThat(round.begin()).isEqualTo(send(Position.NONE, N1, N2));
  }

  @Test
  void agreeingRepliesOfAQuorumCompleteTheRead() {
    begin();

    assertThat(replied(reply(N2, 7, -1))).isEqualTo(new Step.Await<>());
    assertThat(replied(reply(N1, 9, -1))).isEqualTo(new Step.Complete<>("n1@9"));
  }

  @Test
  void theRetryRulePausesInsteadOfWaitingForABarrier() {
    QuorumRound<String> retrying = new QuorumRound<>(List.of(N1, N2, N3), QuorumRule.RETRY);
    retrying.begin();
    retrying.replied(reply(N2, 7, 12), Position.NONE);
    assertThat(retrying.replied(reply(N1, 9, -1), Position.NONE)).isEqualTo(new Step.Pause<>());
  }

  @Test
  void theNewestRuleReturnsTheNewestReply() {
    QuorumRound<String> simple = new QuorumRound<>(List.of(N1, N2, N3), QuorumRule.NEWEST);
    simple.begin();
    simple.replied(reply(N2, 7, 12), Position.NONE);
    assertThat(simple.replied(reply(N1, 9, -1), Position.NONE))
        .isEqualTo(new Step.Complete<>("n1@9"));
  }

  @Test
  void theMostAdvancedReplicaIsQueriedFirstForTheBarrier() {
    begin();
    replied(reply(N2, 7, 12));

    assertThat(replied(reply(N1, 9, -1))).isEqualTo(send(at(12), N1));
    assertThat(round.awaited()).containsExactly(N1);
    assertThat(round.replied(reply(N1, 12, -1), at(12))).isEqualTo(new Step.Complete<>("n1@12"));
  }

  @Test
  void aNewerConfigurationAtTheBarrierRestartsTheRead() {
    begin();
    replied(reply(N2, 7, 12));
    replied(reply(N1, 9, -1));

    assertThat(round.replied(reply(N1, EPOCH + 1, 12, -1), at(12))).isEqualTo(new Step.Restart<>());
  }

  @Test
  void aReplyBelowTheBarrierDoesNotCompleteTheRead() {
    begin();
    replied(reply(N2, 7, 12));
    replied(reply(N1, 9, -1));

    assertThat(round.replied(reply(N1, 11, -1), at(12))).isEqualTo(send(at(12), N2));
  }

  @Test
  void aLateReplyCompletesTheReadOnlyIfItCoversTheBarrier() {
    begin();
    assertThat(round.hedge()).isEqualTo(send(Position.NONE, N3));
    replied(reply(N2, 7, 12));
    replied(reply(N1, 9, -1));

    assertThat(replied(reply(N2, 8, -1))).isEqualTo(new Step.Await<>());
    assertThat(round.awaited()).containsExactly(N1);
    assertThat(replied(reply(N3, 15, -1))).isEqualTo(new Step.Complete<>("n3@15"));
  }

  @Test
  void repliesOfTwoConfigurationsRestartTheRead() {
    begin();
    replied(reply(N2, 7, -1));

    assertThat(replied(reply(N1, EPOCH + 1, 9, -1))).isEqualTo(new Step.Restart<>());
  }

  @Test
  void aReplicaThatFailsIsReplacedByTheNext() {
    begin();

    assertThat(round.failed(N1, Position.NONE)).isEqualTo(send(Position.NONE, N3));
    replied(reply(N2, 7, -1));
    assertThat(replied(reply(N3, 7, -1))).isInstanceOf(Step.Complete.class);
  }

  @Test
  void withoutAQuorumTheReadIsExhausted() {
    begin();
    round.failed(N1, Position.NONE);

    assertThat(round.failed(N2, Position.NONE)).isEqualTo(new Step.Exhausted<>());
  }

  @Test
  void everyReplicaIsQueriedForTheBarrierBeforeTheReadIsExhausted() {
    begin();
    replied(reply(N2, 7, 12));
    replied(reply(N1, 9, -1));

    assertThat(round.failed(N1, at(12))).isEqualTo(send(at(12), N2));
    assertThat(round.failed(N1, Position.NONE)).as("late").isEqualTo(new Step.Await<>());
    assertThat(round.hedge()).isEqualTo(send(at(12), N3));
    assertThat(round.failed(N2, at(12))).isEqualTo(new Step.Await<>());
    assertThat(round.failed(N3, at(12))).isEqualTo(new Step.Exhausted<>());
  }

  @Test
  void aReadIsHedgedOnce() {
    begin();

    assertThat(round.hedge()).isEqualTo(send(Position.NONE, N3));
    assertThat(round.hedge()).isEqualTo(new Step.Await<>());
    assertThat(round.failed(N3, Position.NONE)).isEqualTo(new Step.Await<>());
    replied(reply(N2, 7, -1));
    assertThat(replied(reply(N1, 7, -1))).isInstanceOf(Step.Complete.class);
  }

  @Test
  void aReplicaThatRespondsIsNoLongerLate() {
    begin();
    assertThat(round.late()).isEmpty();
    round.hedge();
    assertThat(round.late()).containsExactlyInAnyOrder(N1, N2);

    replied(reply(N3, 7, -1));
    replied(reply(N2, 7, -1));
    assertThat(round.late()).containsExactly(N1);
    round.failed(N1, Position.NONE);
    assertThat(round.late()).isEmpty();
  }

  @Test
  void theQuorumSizeIsThatOfTheRepliesNotOfTheTopology() {
    begin();

    assertThat(replied(new ReadReply<>(N1, EPOCH, 3, at(5), Position.NONE, "v")))
        .isEqualTo(send(Position.NONE, N3));
    assertThat(replied(new ReadReply<>(N2, EPOCH, 3, at(5), Position.NONE, "v")))
        .isEqualTo(new Step.Await<>());
    assertThat(replied(new ReadReply<>(N3, EPOCH, 3, at(5), Position.NONE, "v")))
        .isInstanceOf(Step.Complete.class);
  }

  @Test
  void twoRepliesOfOneReplicaAreNotAQuorum() {
    begin();
    replied(reply(N1, 7, -1));

    assertThat(replied(reply(N1, 8, -1))).isEqualTo(new Step.Await<>());
  }

  @Test
  void aSingleReplicaIsAQuorumOfOne() {
    QuorumRound<String> single = new QuorumRound<>(List.of(N1), QuorumRule.BARRIER);

    assertThat(single.begin()).isEqualTo(send(Position.NONE, N1));
    assertThat(
            single.replied(new ReadReply<>(N1, EPOCH, 1, at(5), Position.NONE, "v"), Position.NONE))
        .isEqualTo(new Step.Complete<>("v"));
  }
}
