package io.quorate.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.QuorumRound.Step;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import io.quorate.consensus.quorum.QuorumRule;
import io.quorate.consensus.quorum.ReadReply;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whom a quorum read asks, and what it makes of the answers. */
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

  private static ReadReply<String> share(NodeId node, long applied, long pending) {
    return share(node, EPOCH, applied, pending);
  }

  private static ReadReply<String> share(NodeId node, long epoch, long applied, long pending) {
    Position highest = pending < 0 ? Position.NONE : at(pending);
    return new ReadReply<>(node, epoch, 2, at(applied), highest, node + "@" + applied);
  }

  private static Step<String> ask(Position atLeast, NodeId... nodes) {
    return new Step.Send<>(List.of(nodes), atLeast);
  }

  private Step<String> answered(ReadReply<String> share) {
    return round.replied(share, Position.NONE);
  }

  private void begin() {
    assertThat(round.begin()).isEqualTo(ask(Position.NONE, N1, N2));
  }

  @Test
  void aQuorumThatAgreesAnswers() {
    begin();

    assertThat(answered(share(N2, 7, -1))).isEqualTo(new Step.Await<>());
    assertThat(answered(share(N1, 9, -1))).isEqualTo(new Step.Complete<>("n1@9"));
  }

  @Test
  void byTheRuleThatRetriesNothingIsReadBehindABarrier() {
    QuorumRound<String> retrying = new QuorumRound<>(List.of(N1, N2, N3), QuorumRule.RETRY);
    retrying.begin();
    retrying.replied(share(N2, 7, 12), Position.NONE);
    assertThat(retrying.replied(share(N1, 9, -1), Position.NONE)).isEqualTo(new Step.Pause<>());
  }

  @Test
  void byTheRuleWithoutBarrierTheNewestShareAnswers() {
    QuorumRound<String> simple = new QuorumRound<>(List.of(N1, N2, N3), QuorumRule.NEWEST);
    simple.begin();
    simple.replied(share(N2, 7, 12), Position.NONE);
    assertThat(simple.replied(share(N1, 9, -1), Position.NONE))
        .isEqualTo(new Step.Complete<>("n1@9"));
  }

  @Test
  void behindABarrierTheReplicaThatIsFurthestIsAskedFirst() {
    begin();
    answered(share(N2, 7, 12));

    assertThat(answered(share(N1, 9, -1))).isEqualTo(ask(at(12), N1));
    assertThat(round.unanswered()).containsExactly(N1);
    assertThat(round.replied(share(N1, 12, -1), at(12))).isEqualTo(new Step.Complete<>("n1@12"));
  }

  @Test
  void whatIsReadBehindABarrierMustNotKnowANewerConfiguration() {
    begin();
    answered(share(N2, 7, 12));
    answered(share(N1, 9, -1));

    assertThat(round.replied(share(N1, EPOCH + 1, 12, -1), at(12))).isEqualTo(new Step.Restart<>());
  }

  @Test
  void aStateThatDoesNotCoverTheBarrierIsNoAnswer() {
    begin();
    answered(share(N2, 7, 12));
    answered(share(N1, 9, -1));

    assertThat(round.replied(share(N1, 11, -1), at(12))).isEqualTo(ask(at(12), N2));
  }

  @Test
  void aLateShareThatCoversTheBarrierAnswersAndOneThatDoesNotIsPassedOver() {
    begin();
    assertThat(round.hedge()).isEqualTo(ask(Position.NONE, N3));
    answered(share(N2, 7, 12));
    answered(share(N1, 9, -1));

    assertThat(answered(share(N2, 8, -1))).isEqualTo(new Step.Await<>());
    assertThat(round.unanswered()).containsExactly(N1);
    assertThat(answered(share(N3, 15, -1))).isEqualTo(new Step.Complete<>("n3@15"));
  }

  @Test
  void sharesOfTwoConfigurationsStartOver() {
    begin();
    answered(share(N2, 7, -1));

    assertThat(answered(share(N1, EPOCH + 1, 9, -1))).isEqualTo(new Step.Restart<>());
  }

  @Test
  void aReplicaThatFailsIsReplacedByTheNext() {
    begin();

    assertThat(round.failed(N1, Position.NONE)).isEqualTo(ask(Position.NONE, N3));
    answered(share(N2, 7, -1));
    assertThat(answered(share(N3, 7, -1))).isInstanceOf(Step.Complete.class);
  }

  @Test
  void withoutAQuorumLeftItEnds() {
    begin();
    round.failed(N1, Position.NONE);

    assertThat(round.failed(N2, Position.NONE)).isEqualTo(new Step.Exhausted<>());
  }

  @Test
  void behindABarrierEveryReplicaIsTriedBeforeItEnds() {
    begin();
    answered(share(N2, 7, 12));
    answered(share(N1, 9, -1));

    assertThat(round.failed(N1, at(12))).isEqualTo(ask(at(12), N2));
    assertThat(round.failed(N1, Position.NONE)).as("late").isEqualTo(new Step.Await<>());
    assertThat(round.hedge()).isEqualTo(ask(at(12), N3));
    assertThat(round.failed(N2, at(12))).isEqualTo(new Step.Await<>());
    assertThat(round.failed(N3, at(12))).isEqualTo(new Step.Exhausted<>());
  }

  @Test
  void slowReplicasAreHelpedByTheOthersOnce() {
    begin();

    assertThat(round.hedge()).isEqualTo(ask(Position.NONE, N3));
    assertThat(round.hedge()).isEqualTo(new Step.Await<>());
    assertThat(round.failed(N3, Position.NONE)).isEqualTo(new Step.Await<>());
    answered(share(N2, 7, -1));
    assertThat(answered(share(N1, 7, -1))).isInstanceOf(Step.Complete.class);
  }

  @Test
  void whoAnswersAfterAllIsLateNoMore() {
    begin();
    assertThat(round.late()).isEmpty();
    round.hedge();
    assertThat(round.late()).containsExactlyInAnyOrder(N1, N2);

    answered(share(N3, 7, -1));
    answered(share(N2, 7, -1));
    assertThat(round.late()).containsExactly(N1);
    round.failed(N1, Position.NONE);
    assertThat(round.late()).isEmpty();
  }

  @Test
  void aQuorumIsWhatTheReplicasSayNotWhatTheMapSuggests() {
    begin();

    assertThat(answered(new ReadReply<>(N1, EPOCH, 3, at(5), Position.NONE, "v")))
        .isEqualTo(ask(Position.NONE, N3));
    assertThat(answered(new ReadReply<>(N2, EPOCH, 3, at(5), Position.NONE, "v")))
        .isEqualTo(new Step.Await<>());
    assertThat(answered(new ReadReply<>(N3, EPOCH, 3, at(5), Position.NONE, "v")))
        .isInstanceOf(Step.Complete.class);
  }

  @Test
  void aSecondShareOfOneReplicaDoesNotMakeAQuorum() {
    begin();
    answered(share(N1, 7, -1));

    assertThat(answered(share(N1, 8, -1))).isEqualTo(new Step.Await<>());
  }

  @Test
  void oneReplicaAloneIsAQuorumOfOne() {
    QuorumRound<String> alone = new QuorumRound<>(List.of(N1), QuorumRule.BARRIER);

    assertThat(alone.begin()).isEqualTo(ask(Position.NONE, N1));
    assertThat(
            alone.replied(new ReadReply<>(N1, EPOCH, 1, at(5), Position.NONE, "v"), Position.NONE))
        .isEqualTo(new Step.Complete<>("v"));
  }
}
