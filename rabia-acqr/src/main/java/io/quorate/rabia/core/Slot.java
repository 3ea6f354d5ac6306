package io.quorate.rabia.core;

import io.quorate.model.Position;
import io.quorate.rabia.core.members.LocalMembership;
import io.quorate.rabia.core.step.OwnMessage;
import io.quorate.rabia.protocol.Ballot;
import io.quorate.rabia.protocol.BatchId;
import io.quorate.rabia.protocol.Configuration;
import io.quorate.rabia.protocol.Message;
import java.util.ArrayList;
import java.util.List;

/**
 * Weak-MVC for one slot (rules C1 to C7): stores the messages of the members, and computes the
 * decision and the next message of this replica. It sends and writes nothing itself.
 */
final class Slot {
  /** How many phases ahead of its own a replica accepts messages. */
  private static final int PHASES_AHEAD = 64;

  /** The path by which a slot was decided. */
  enum DecisionPath {
    PROPOSALS,
    STATES,
    VOTES,
    SKIP,
    LEARNED
  }

  /** The decision that the stored messages imply. */
  record Outcome(BatchId id, DecisionPath path) {}

  static final int RESEND_DOUBLINGS_MAX = 4;

  private final Position at;
  private final LocalMembership membership;
  private final Rules rules;
  private final BatchId[] proposals;
  private final List<Phase> phases = new ArrayList<>(1);
  private int proposalCount;
  private int ownPhase;
  private BatchId candidate = BatchId.NONE;
  private BatchId decision;

  /** This replica's own proposal, or null. */
  OwnMessage ownProposal;

  long openedAt;
  long sentAt;
  long proposedAt;

  /** Whether a record of the decision in the log holds the body. */
  boolean isBodyRecorded;

  /** How often the messages of the slot have been resent. */
  int resends;

  /** The time until which STATE is held back (O6); 0 if it is not. */
  long heldUntil;

  /** Whether the hold of STATE expired before all proposals arrived (O6). */
  boolean hasWaitExpired;

  /** When a quorum of equal proposals was complete; -1 before. */
  long quorumAt = -1;

  /** When the body of the slot was last fetched. */
  long fetchedAt;

  int fetches;

  Slot(Position at, LocalMembership membership, Rules rules, long now) {
    this.at = at;
    this.membership = membership;
    this.rules = rules;
    this.openedAt = now;
    this.sentAt = now;
    this.proposals = new BatchId[membership.configuration().size()];
  }

  /**
   * The time after the last send at which the messages of a slot are resent (T1). It doubles with
   * every resend; otherwise slow replicas would receive every message many times over.
   */
  long resendAfter(long timeout) {
    return timeout << Math.min(resends, RESEND_DOUBLINGS_MAX);
  }

  Position at() {
    return at;
  }

  long index() {
    return at.index();
  }

  LocalMembership membership() {
    return membership;
  }

  boolean isDecided() {
    return decision != null;
  }

  /** The batch that won, {@link BatchId#NONE} for null, or null before the decision. */
  BatchId decision() {
    return decision;
  }

  void decide(BatchId id) {
    decision = id;
  }

  /** Whether a replay finds the body of the winning batch in the records of this slot. */
  boolean hasBodyInLog() {
    return isBodyRecorded
        || (ownProposal != null
            && ((Message.Proposal) ownProposal.message()).id().equals(decision));
  }

  boolean hasProposed() {
    return ownProposal != null;
  }

  BatchId candidate() {
    return candidate;
  }

  /** The last phase in which this replica has sent a message; 0 before its first STATE. */
  int ownPhase() {
    return ownPhase;
  }

  BatchId proposalOf(int member) {
    return proposals[member];
  }

  /** Stores a message of a member: the first one of each kind and phase counts (C2). */
  Phase.Stored store(int sender, Message.Recorded message) {
    if (message instanceof Message.Proposal proposal) {
      return storeProposal(sender, proposal.id());
    }
    if (message instanceof Message.State state) {
      return storeState(sender, state);
    }
    return storeVote(sender, (Message.Vote) message);
  }

  private Phase.Stored storeProposal(int sender, BatchId id) {
    Phase.Stored stored = Phase.compare(proposals[sender], id);
    if (stored == Phase.Stored.NEW) {
      proposals[sender] = id;
    }
    if (stored == Phase.Stored.NEW || rules.countsRepeated()) {
      proposalCount++;
    }
    if (candidate.isNone()) {
      candidate = proposedBy(membership.configuration().majority());
    }
    return stored;
  }

  private Phase.Stored storeState(int sender, Message.State state) {
    if (!accepts(state.phase())) {
      return Phase.Stored.REPEATED;
    }
    candidate = rules.adopt(candidate, state.candidate());
    return phase(state.phase()).storeState(sender, state.one(), rules.countsRepeated());
  }

  private Phase.Stored storeVote(int sender, Message.Vote vote) {
    if (!accepts(vote.phase())) {
      return Phase.Stored.REPEATED;
    }
    candidate = rules.adopt(candidate, vote.candidate());
    return phase(vote.phase()).storeVote(sender, vote.ballot(), rules.countsRepeated());
  }

  private boolean accepts(int phase) {
    return phase >= 1 && phase <= ownPhase + PHASES_AHEAD;
  }

  boolean hasAllProposals() {
    return proposalCount >= proposals.length;
  }

  /**
   * Returns a phase; phases are counted from 1. The list grows as needed, because there is no last
   * phase.
   */
  Phase phase(int number) {
    while (phases.size() < number) {
      phases.add(new Phase(membership.configuration().size()));
    }
    return phases.get(number - 1);
  }

  /** Whether some member has proposed ⊥. */
  boolean hasAbstention() {
    for (BatchId id : proposals) {
      if (id != null && id.isNone()) {
        return true;
      }
    }
    return false;
  }

  /** Whether another member has proposed a batch here, and therefore has its body. */
  boolean hasBodyAt(int member) {
    BatchId proposed = proposals[member];
    return member != membership.self() && proposed != null && !proposed.isNone();
  }

  /** A member that has this batch, or any batch if {@code id} is null; -1 if there is none. */
  int proposerOf(BatchId id, int startingAt) {
    for (int i = 0; i < proposals.length; i++) {
      int member = (startingAt + i) % proposals.length;
      if (hasBodyAt(member) && (id == null || id.equals(proposals[member]))) {
        return member;
      }
    }
    return -1;
  }

  /** The batch with at least {@code count} proposals, or {@link BatchId#NONE}. */
  private BatchId proposedBy(int count) {
    for (BatchId id : proposals) {
      if (id != null && !id.isNone()) {
        int equal = 0;
        for (BatchId other : proposals) {
          equal += id.equals(other) ? 1 : 0;
        }
        if (equal >= count) {
          return id;
        }
      }
    }
    return BatchId.NONE;
  }

  /**
   * The decision by votes (C5) or, if {@code byUnanimity}, by equal proposals or states of all
   * members (C7). Null while nothing is decided.
   */
  Outcome outcome(boolean byUnanimity) {
    Configuration members = membership.configuration();
    if (byUnanimity && proposalCount >= rules.unanimity(members)) {
      BatchId id = proposedBy(rules.unanimity(members));
      if (!id.isNone()) {
        return new Outcome(id, DecisionPath.PROPOSALS);
      }
    }
    for (Phase phase : phases) {
      for (int value = 0; value <= 1; value++) {
        boolean one = value == 1;
        DecisionPath path = null;
        if (phase.votes(Ballot.of(one)) >= rules.decidingVotes(members)) {
          path = DecisionPath.VOTES;
        } else if (byUnanimity && phase.states(one) >= rules.unanimity(members)) {
          path = DecisionPath.STATES;
        }
        // A one without a candidate is impossible: every message of value one carries it (C6).
        if (path != null && !(one && candidate.isNone())) {
          return new Outcome(one ? candidate : BatchId.NONE, path);
        }
      }
    }
    return null;
  }

  /**
   * Whether q equal proposals are stored, the last few are missing, and waiting for them may save
   * the rounds of STATE and VOTE (O6).
   */
  boolean couldBecomeUnanimous() {
    Configuration members = membership.configuration();
    return ownPhase == 0
        && proposalCount < members.size()
        && proposalCount >= members.quorum()
        && !proposedBy(proposalCount).isNone();
  }

  /** This replica's next message (C3, C4, C5); null while it has to wait. */
  Message.Recorded nextMessage(Coin coin, Counters counters) {
    int quorum = membership.configuration().quorum();
    if (ownPhase == 0) {
      if (!hasProposed() || proposals[membership.self()] == null || proposalCount < quorum) {
        return null;
      }
      BatchId majority = proposedBy(membership.configuration().majority());
      candidate = candidate.isNone() ? majority : candidate;
      return state(1, !majority.isNone());
    }
    Phase current = phase(ownPhase);
    if (current.ownVote == null) {
      return current.states() < quorum
          ? null
          : new Message.Vote(
              at, ownPhase, current.vote(membership.configuration().majority()), carried());
    }
    if (current.votes() < quorum) {
      return null;
    }
    if (current.votes(Ballot.ONE) > 0) {
      return state(ownPhase + 1, true);
    }
    if (current.votes(Ballot.ZERO) > 0) {
      return state(ownPhase + 1, false);
    }
    boolean one = coin.flip(at, ownPhase);
    if (one && candidate.isNone()) {
      counters.coinsWithoutCandidate++;
      one = false;
    }
    return state(ownPhase + 1, one);
  }

  private Message.State state(int phase, boolean one) {
    return new Message.State(at, phase, one, carried());
  }

  private BatchId carried() {
    return rules.adopt(BatchId.NONE, candidate);
  }

  /** Records a message of this replica. */
  void recordOwn(OwnMessage own) {
    Message.Recorded message = own.message();
    if (message instanceof Message.Proposal) {
      ownProposal = own;
    } else if (message instanceof Message.State state) {
      ownPhase = state.phase();
      candidate = rules.adopt(candidate, state.candidate());
      phase(ownPhase).ownState = own;
    } else {
      Message.Vote vote = (Message.Vote) message;
      ownPhase = Math.max(ownPhase, vote.phase());
      candidate = rules.adopt(candidate, vote.candidate());
      phase(vote.phase()).ownVote = own;
    }
  }
}
