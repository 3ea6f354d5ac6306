package io.quorate.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.QuorumRound.Step;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import io.quorate.consensus.quorum.QuorumRule;
import io.quorate.consensus.quorum.Share;
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

  private static Share<String> share(NodeId node, long applied, long pending) {
    return share(node, EPOCH, applied, pending);
  }

  private static Share<String> share(NodeId node, long epoch, long applied, long pending) {
    Position highest = pending < 0 ? Position.NONE : at(pending);
    return new Share<>(node, epoch, 2, at(applied), highest, node + "@" + applied);
  }

  private static Step<String> ask(Position atLeast, NodeId... nodes) {
    return new Step.Ask<>(List.of(nodes), atLeast);
  }

  private Step<String> answered(Share<String> share) {
    return round.answered(share, Position.NONE);
  }

  private void begin() {
    assertThat(round.begin()).isEqualTo(ask(Position.NONE, N1, N2));
  }

  @Test
  void aQuorumThatAgreesAnswers() {
    begin();

    assertThat(answered(share(N2, 7, -1))).isEqualTo(new Step.Await<>());
    assertThat(answered(share(N1, 9, -1))).isEqualTo(new Step.Answer<>("n1@9"));
  }

  @Test
  void byTheRuleThatRetriesNothingIsReadBehindABarrier() {
    QuorumRound<String> retrying = new QuorumRound<>(List.of(N1, N2, N3), QuorumRule.RETRY);
    retrying.begin();
    retrying.answered(share(N2, 7, 12), Position.NONE);
    assertThat(retrying.answered(share(N1, 9, -1), Position.NONE)).isEqualTo(new Step.Pause<>());
  }

  @Test
  void byTheRuleWithoutBarrierTheNewestShareAnswers() {
    QuorumRound<String> simple = new QuorumRound<>(List.of(N1, N2, N3), QuorumRule.NEWEST);
    simple.begin();
    simple.answered(share(N2, 7, 12), Position.NONE);
    assertThat(simple.answered(share(N1, 9, -1), Position.NONE))
        .isEqualTo(new Step.Answer<>("n1@9"));
  }

  @Test
  void behindABarrierTheReplicaThatIsFurthestIsAskedFirst() {
    begin();
    answered(share(N2, 7, 12));

    assertThat(answered(share(N1, 9, -1))).isEqualTo(ask(at(12), N1));
    assertThat(round.unanswered()).containsExactly(N1);
    assertThat(round.answered(share(N1, 12, -1), at(12))).isEqualTo(new Step.Answer<>("n1@12"));
  }

  @Test
  void whatIsReadBehindABarrierMustNotKnowANewerConfiguration() {
    begin();
    answered(share(N2, 7, 12));
    answered(share(N1, 9, -1));

    assertThat(round.answered(share(N1, EPOCH + 1, 12, -1), at(12)))
        .isEqualTo(new Step.StartOver<>());
  }

  @Test
  void aStateThatDoesNotCoverTheBarrierIsNoAnswer() {
    begin();
    answered(share(N2, 7, 12));
    answered(share(N1, 9, -1));

    assertThat(round.answered(share(N1, 11, -1), at(12))).isEqualTo(ask(at(12), N2));
  }

  @Test
  void aLateShareThatCoversTheBarrierAnswersAndOneThatDoesNotIsPassedOver() {
    begin();
    assertThat(round.overdue()).isEqualTo(ask(Position.NONE, N3));
    answered(share(N2, 7, 12));
    answered(share(N1, 9, -1));

    assertThat(answered(share(N2, 8, -1))).isEqualTo(new Step.Await<>());
    assertThat(round.unanswered()).containsExactly(N1);
    assertThat(answered(share(N3, 15, -1))).isEqualTo(new Step.Answer<>("n3@15"));
  }

  @Test
  void sharesOfTwoConfigurationsStartOver() {
    begin();
    answered(share(N2, 7, -1));

    assertThat(answered(share(N1, EPOCH + 1, 9, -1))).isEqualTo(new Step.StartOver<>());
  }

  @Test
  void aReplicaThatFailsIsReplacedByTheNext() {
    begin();

    assertThat(round.failed(N1, Position.NONE)).isEqualTo(ask(Position.NONE, N3));
    answered(share(N2, 7, -1));
    assertThat(answered(share(N3, 7, -1))).isInstanceOf(Step.Answer.class);
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
    assertThat(round.overdue()).isEqualTo(ask(at(12), N3));
    assertThat(round.failed(N2, at(12))).isEqualTo(new Step.Await<>());
    assertThat(round.failed(N3, at(12))).isEqualTo(new Step.Exhausted<>());
  }

  @Test
  void slowReplicasAreHelpedByTheOthersOnce() {
    begin();

    assertThat(round.overdue()).isEqualTo(ask(Position.NONE, N3));
    assertThat(round.overdue()).isEqualTo(new Step.Await<>());
    assertThat(round.failed(N3, Position.NONE)).isEqualTo(new Step.Await<>());
    answered(share(N2, 7, -1));
    assertThat(answered(share(N1, 7, -1))).isInstanceOf(Step.Answer.class);
  }

  @Test
  void whoAnswersAfterAllIsLateNoMore() {
    begin();
    assertThat(round.late()).isEmpty();
    round.overdue();
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

    assertThat(answered(new Share<>(N1, EPOCH, 3, at(5), Position.NONE, "v")))
        .isEqualTo(ask(Position.NONE, N3));
    assertThat(answered(new Share<>(N2, EPOCH, 3, at(5), Position.NONE, "v")))
        .isEqualTo(new Step.Await<>());
    assertThat(answered(new Share<>(N3, EPOCH, 3, at(5), Position.NONE, "v")))
        .isInstanceOf(Step.Answer.class);
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
    assertThat(alone.answered(new Share<>(N1, EPOCH, 1, at(5), Position.NONE, "v"), Position.NONE))
        .isEqualTo(new Step.Answer<>("v"));
  }
}
