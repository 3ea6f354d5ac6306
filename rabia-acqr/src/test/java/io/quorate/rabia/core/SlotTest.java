package io.quorate.rabia.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.Member;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.rabia.core.members.LocalMembership;
import io.quorate.rabia.core.step.Lsn;
import io.quorate.rabia.core.step.OwnMessage;
import io.quorate.rabia.protocol.Ballot;
import io.quorate.rabia.protocol.Batch;
import io.quorate.rabia.protocol.BatchId;
import io.quorate.rabia.protocol.Body;
import io.quorate.rabia.protocol.Configuration;
import io.quorate.rabia.protocol.Message;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One slot at member 0. */
class SlotTest {
  private static final Position AT = new Position(1, 5);
  private static final BatchId X = batch(0);
  private static final BatchId Y = batch(1);

  private final Counters counters = new Counters();

  private static BatchId batch(long sequence) {
    return Batch.of(new NodeId("n0"), 0, sequence, 0, new Body.Commands(List.of())).id();
  }

  private static Slot slot(int members) {
    List<Member> list =
        IntStream.range(0, members)
            .mapToObj(
                i ->
                    new Member(new NodeId("n" + i), InetSocketAddress.createUnresolved("n" + i, 1)))
            .toList();
    return new Slot(
        AT, LocalMembership.of(Configuration.first(list), new NodeId("n0"), 0), Rules.PROTOCOL, 0);
  }

  private static void proposed(Slot slot, BatchId... ids) {
    slot.recordOwn(new OwnMessage(new Message.Proposal(AT, ids[0]), Lsn.START));
    for (int i = 0; i < ids.length; i++) {
      slot.store(i, proposal(ids[i]));
    }
  }

  private Message.Recorded advance(Slot slot) {
    Message.Recorded next = slot.nextMessage(Coin.COMMON, counters);
    if (next != null) {
      slot.recordOwn(new OwnMessage(next, Lsn.START));
    }
    return next;
  }

  private static Message.Proposal proposal(BatchId id) {
    return new Message.Proposal(AT, id);
  }

  private static Message.State state(int phase, boolean one, BatchId candidate) {
    return new Message.State(AT, phase, one, candidate);
  }

  private static Message.Vote vote(int phase, Ballot ballot, BatchId candidate) {
    return new Message.Vote(AT, phase, ballot, candidate);
  }

  @Test
  void aRepeatedMessageCountsOnceAndADifferentOneConflicts() {
    Slot slot = slot(3);
    assertThat(slot.store(1, proposal(X))).isEqualTo(Phase.Stored.NEW);
    assertThat(slot.store(1, proposal(X))).isEqualTo(Phase.Stored.REPEATED);
    assertThat(slot.store(1, proposal(Y))).isEqualTo(Phase.Stored.CONFLICTING);
    assertThat(slot.proposalOf(1)).isEqualTo(X);
    assertThat(slot.outcome(true)).isNull();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7})
  void onlyEqualProposalsOfAllMembersDecideAtOnce(int members) {
    Slot slot = slot(members);
    for (int i = 0; i < members; i++) {
      assertThat(slot.outcome(true)).isNull();
      slot.store(i, proposal(X));
    }
    assertThat(slot.outcome(true)).isEqualTo(new Slot.Outcome(X, Slot.DecisionPath.PROPOSALS));
    assertThat(slot.outcome(false)).isNull();
  }

  @Test
  void aReplicaSendsNothingBeforeItsOwnProposalIsCounted() {
    Slot slot = slot(3);
    slot.store(1, proposal(X));
    slot.store(2, proposal(X));
    slot.recordOwn(new OwnMessage(new Message.Proposal(AT, X), Lsn.START));
    assertThat(slot.nextMessage(Coin.COMMON, counters)).isNull();
    slot.store(0, proposal(X));
    assertThat(slot.nextMessage(Coin.COMMON, counters)).isEqualTo(state(1, true, X));
  }

  @Test
  void aMajorityOfProposalsYieldsStateOneWithItsCandidate() {
    Slot slot = slot(5);
    proposed(slot, BatchId.NONE, X, X);
    assertThat(slot.nextMessage(Coin.COMMON, counters)).isEqualTo(state(1, false, BatchId.NONE));
    slot.store(3, proposal(X));
    assertThat(slot.nextMessage(Coin.COMMON, counters)).isEqualTo(state(1, true, X));
  }

  @Test
  void differentProposalsYieldStateZero() {
    Slot slot = slot(3);
    proposed(slot, X, Y);
    assertThat(slot.nextMessage(Coin.COMMON, counters)).isEqualTo(state(1, false, BatchId.NONE));
  }

  @Test
  void aReplicaThatReceivesTheCandidateSendsIt() {
    Slot slot = slot(3);
    proposed(slot, BatchId.NONE, X);
    assertThat(advance(slot)).isEqualTo(state(1, false, BatchId.NONE));
    slot.store(0, state(1, false, BatchId.NONE));
    slot.store(2, state(1, true, X));
    assertThat(advance(slot)).isEqualTo(vote(1, Ballot.UNDECIDED, X));
    slot.store(0, vote(1, Ballot.UNDECIDED, X));
    slot.store(1, vote(1, Ballot.UNDECIDED, BatchId.NONE));
    // The coin of the first phase is one.
    assertThat(advance(slot)).isEqualTo(state(2, true, X));
    assertThat(counters.coinsWithoutCandidate()).isZero();
  }

  @Test
  void aSingleVoteForAValueIsAdoptedAndFPlusOneDecide() {
    Slot slot = slot(5);
    proposed(slot, X, X, X);
    advance(slot);
    for (int i = 0; i < 3; i++) {
      slot.store(i, state(1, i > 0, X));
    }
    assertThat(advance(slot)).isEqualTo(vote(1, Ballot.UNDECIDED, X));
    slot.store(0, vote(1, Ballot.UNDECIDED, X));
    slot.store(1, vote(1, Ballot.ONE, X));
    slot.store(2, vote(1, Ballot.UNDECIDED, X));
    assertThat(slot.nextMessage(Coin.COMMON, counters)).isEqualTo(state(2, true, X));
    slot.store(3, vote(1, Ballot.ONE, X));
    assertThat(slot.outcome(true)).isNull();
    slot.store(4, vote(1, Ballot.ONE, X));
    assertThat(slot.outcome(true)).isEqualTo(new Slot.Outcome(X, Slot.DecisionPath.VOTES));
  }

  @Test
  void equalStatesOfAllMembersDecide() {
    Slot slot = slot(3);
    for (int i = 0; i < 3; i++) {
      assertThat(slot.outcome(true)).isNull();
      slot.store(i, state(2, false, BatchId.NONE));
    }
    assertThat(slot.outcome(true))
        .isEqualTo(new Slot.Outcome(BatchId.NONE, Slot.DecisionPath.STATES));
  }

  @Test
  void phasesAreUnboundedAndMessagesTooFarAheadAreIgnored() {
    Slot slot = slot(3);
    proposed(slot, X, Y);
    for (int phase = 1; phase <= 200; phase++) {
      assertThat(advance(slot)).isInstanceOf(Message.State.class);
      slot.store(0, state(phase, true, X));
      slot.store(1, state(phase, false, X));
      assertThat(advance(slot)).isEqualTo(vote(phase, Ballot.UNDECIDED, X));
      slot.store(0, vote(phase, Ballot.UNDECIDED, X));
      slot.store(1, vote(phase, Ballot.UNDECIDED, X));
    }
    slot.store(1, vote(1_000_000, Ballot.ONE, X));
    slot.store(2, vote(1_000_000, Ballot.ONE, X));
    assertThat(slot.outcome(true)).isNull();
  }
}
