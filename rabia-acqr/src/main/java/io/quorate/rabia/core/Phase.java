package io.quorate.rabia.core;

import io.quorate.rabia.core.step.OwnMessage;
import io.quorate.rabia.protocol.Ballot;
import java.util.Arrays;

/** The STATEs and VOTEs of one phase of one slot: the first of each sender (C2). */
final class Phase {
  /** The result of storing a message. */
  enum Stored {
    NEW,
    REPEATED,
    CONFLICTING
  }

  private final Boolean[] states;
  private final Ballot[] votes;
  private final int[] stateCounts = new int[2];
  private final int[] voteCounts = new int[Ballot.values().length];

  /** This replica's own STATE of the phase, or null. */
  OwnMessage ownState;

  /** This replica's own VOTE of the phase, or null. */
  OwnMessage ownVote;

  Phase(int members) {
    states = new Boolean[members];
    votes = new Ballot[members];
  }

  Stored storeState(int sender, boolean one, boolean countRepeated) {
    Stored stored = compare(states[sender], one);
    if (stored == Stored.NEW) {
      states[sender] = one;
    }
    if (stored == Stored.NEW || countRepeated) {
      stateCounts[one ? 1 : 0]++;
    }
    return stored;
  }

  Stored storeVote(int sender, Ballot ballot, boolean countRepeated) {
    Stored stored = compare(votes[sender], ballot);
    if (stored == Stored.NEW) {
      votes[sender] = ballot;
    }
    if (stored == Stored.NEW || countRepeated) {
      voteCounts[ballot.ordinal()]++;
    }
    return stored;
  }

  static Stored compare(Object before, Object now) {
    if (before == null) {
      return Stored.NEW;
    }
    return before.equals(now) ? Stored.REPEATED : Stored.CONFLICTING;
  }

  int states() {
    return stateCounts[0] + stateCounts[1];
  }

  int states(boolean one) {
    return stateCounts[one ? 1 : 0];
  }

  int votes() {
    return Arrays.stream(voteCounts).sum();
  }

  int votes(Ballot ballot) {
    return voteCounts[ballot.ordinal()];
  }

  /** The ballot that follows from the stored states (C4). */
  Ballot vote(int majority) {
    if (states(true) >= majority) {
      return Ballot.ONE;
    }
    return states(false) >= majority ? Ballot.ZERO : Ballot.UNDECIDED;
  }
}
