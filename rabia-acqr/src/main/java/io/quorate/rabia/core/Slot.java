package io.quorate.rabia.core;

import io.quorate.consensus.Position;
import io.quorate.rabia.protocol.Ballot;
import io.quorate.rabia.protocol.BatchId;
import io.quorate.rabia.protocol.Configuration;
import io.quorate.rabia.protocol.Message;
import java.util.ArrayList;
import java.util.List;

/**
 * Weak-MVC for one slot (PROTOCOLS 1.3): stores what members said, tells what that decides and what
 * to say next. Says and writes nothing itself.
 */
final class Slot {
  /** How many phases ahead of its own a replica listens. */
  private static final int PHASES_AHEAD = 64;

  /** By what a slot was decided. */
  enum Way {
    PROPOSALS,
    STATES,
    VOTES,
    SKIP,
    LEARNED
  }

  /** What the messages decide. */
  record Verdict(BatchId id, Way way) {}

  static final int REPEAT_DOUBLINGS_MAX = 4;

  private final Position at;
  private final Roster roster;
  private final Rules rules;
  private final BatchId[] proposals;
  private final List<Phase> phases = new ArrayList<>(1);
  private int proposalCount;
  private int ownPhase;
  private BatchId candidate = BatchId.NONE;
  private BatchId decision;

  /** What this replica proposed, or null. */
  OwnMessage ownProposal;

  long openedAt;
  long saidAt;
  long proposedAt;

  /** Whether a record of the decision in the log holds the body. */
  boolean isBodyRecorded;

  /** How often its messages have been repeated. */
  int repeats;

  /** Until when STATE is held back (O6); 0 if it is not. */
  long heldUntil;

  /** Whether STATE was held back in vain (O6). */
  boolean hasWaitExpired;

  /** When a quorum of equal proposals was here; -1 before. */
  long quorumAt = -1;

  /** When a body was last fetched for it, and how often. */
  long fetchedAt;

  int fetches;

  Slot(Position at, Roster roster, Rules rules, long now) {
    this.at = at;
    this.roster = roster;
    this.rules = rules;
    this.openedAt = now;
    this.saidAt = now;
    this.proposals = new BatchId[roster.configuration().size()];
  }

  /**
   * How long after it was last spoken of a slot's messages are repeated (T1): twice as long each
   * time, or replicas that are slow would be sent everything many times over.
   */
  long repeatAfter(long timeout) {
    return timeout << Math.min(repeats, REPEAT_DOUBLINGS_MAX);
  }

  Position at() {
    return at;
  }

  long index() {
    return at.index();
  }

  Roster roster() {
    return roster;
  }

  boolean isDecided() {
    return decision != null;
  }

  /** The batch that won, or {@link BatchId#NONE}. */
  BatchId decision() {
    return decision;
  }

  void decide(BatchId id) {
    decision = id;
  }

  /** Whether a replay finds the body of the batch that won among the records of this slot. */
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

  /** The last phase in which this replica has said something; 0 before its first STATE. */
  int ownPhase() {
    return ownPhase;
  }

  BatchId proposalOf(int member) {
    return proposals[member];
  }

  Phase.Stored storeProposal(int sender, BatchId id) {
    Phase.Stored stored = Phase.compare(proposals[sender], id);
    if (stored == Phase.Stored.NEW) {
      proposals[sender] = id;
    }
    if (stored == Phase.Stored.NEW || rules.countsRepeated()) {
      proposalCount++;
    }
    if (candidate.isNone()) {
      candidate = proposedBy(roster.configuration().majority());
    }
    return stored;
  }

  Phase.Stored storeState(int sender, Message.State state) {
    if (!hears(state.phase())) {
      return Phase.Stored.REPEATED;
    }
    candidate = rules.adopt(candidate, state.candidate());
    return phase(state.phase()).storeState(sender, state.one(), rules.countsRepeated());
  }

  Phase.Stored storeVote(int sender, Message.Vote vote) {
    if (!hears(vote.phase())) {
      return Phase.Stored.REPEATED;
    }
    candidate = rules.adopt(candidate, vote.candidate());
    return phase(vote.phase()).storeVote(sender, vote.ballot(), rules.countsRepeated());
  }

  private boolean hears(int phase) {
    return phase >= 1 && phase <= ownPhase + PHASES_AHEAD;
  }

  boolean hasAllProposals() {
    return proposalCount >= proposals.length;
  }

  /** Phases begin at 1. Grows as needed: there is no last phase. */
  Phase phase(int number) {
    while (phases.size() < number) {
      phases.add(new Phase(roster.configuration().size()));
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

  /** Whether another member has proposed a batch here, and so holds its body. */
  boolean hasBodyAt(int member) {
    BatchId proposed = proposals[member];
    return member != roster.self() && proposed != null && !proposed.isNone();
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

  /** C5 and, where shortcuts are taken, C7. Null while nothing is decided. */
  Verdict verdict(boolean shortcuts) {
    Configuration members = roster.configuration();
    if (shortcuts && proposalCount >= rules.unanimity(members)) {
      BatchId id = proposedBy(rules.unanimity(members));
      if (!id.isNone()) {
        return new Verdict(id, Way.PROPOSALS);
      }
    }
    for (Phase phase : phases) {
      for (int value = 0; value <= 1; value++) {
        boolean one = value == 1;
        Way way = null;
        if (phase.votes(Ballot.of(one)) >= rules.decidingVotes(members)) {
          way = Way.VOTES;
        } else if (shortcuts && phase.states(one) >= rules.unanimity(members)) {
          way = Way.STATES;
        }
        // A one without a candidate cannot be: whoever says one carries it (C6).
        if (way != null && !(one && candidate.isNone())) {
          return new Verdict(one ? candidate : BatchId.NONE, way);
        }
      }
    }
    return null;
  }

  /**
   * Whether q equal proposals are there, the last few are not, and waiting for them may save three
   * rounds (O6).
   */
  boolean couldBecomeUnanimous() {
    Configuration members = roster.configuration();
    return ownPhase == 0
        && proposalCount < members.size()
        && proposalCount >= members.quorum()
        && !proposedBy(proposalCount).isNone();
  }

  /** What this replica is to say next (C3, C4, C5); null while it has to wait. */
  Message.OfSlot next(Coin coin, Counters counters) {
    int quorum = roster.configuration().quorum();
    if (ownPhase == 0) {
      if (!hasProposed() || proposals[roster.self()] == null || proposalCount < quorum) {
        return null;
      }
      BatchId majority = proposedBy(roster.configuration().majority());
      candidate = candidate.isNone() ? majority : candidate;
      return state(1, !majority.isNone());
    }
    Phase current = phase(ownPhase);
    if (current.ownVote == null) {
      return current.states() < quorum
          ? null
          : new Message.Vote(
              at, ownPhase, current.vote(roster.configuration().majority()), carried());
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

  /** Notes what this replica says. */
  void said(OwnMessage own) {
    Message.OfSlot message = own.message();
    if (message instanceof Message.Proposal) {
      ownProposal = own;
    } else if (message instanceof Message.State state) {
      ownPhase = state.phase();
      candidate = rules.adopt(candidate, state.candidate());
      phase(ownPhase).ownState = own;
    } else if (message instanceof Message.Vote vote) {
      ownPhase = Math.max(ownPhase, vote.phase());
      candidate = rules.adopt(candidate, vote.candidate());
      phase(vote.phase()).ownVote = own;
    }
  }
}
