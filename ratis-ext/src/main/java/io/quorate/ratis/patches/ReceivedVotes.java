package io.quorate.ratis.patches;

import io.quorate.replication.quorum.Majority;
import java.util.HashSet;
import java.util.Set;
import org.apache.ratis.protocol.RaftPeerId;

/**
 * The votes that a replica has received, by which a new leader is checked: Ratis 3.3.0 counts the
 * votes of a term, and begins to lead in the term that is present a moment later. In between the
 * replica may have followed in that term and become a candidate again.
 *
 * <p>Thread-safe.
 *
 * <p>Part of {@link Elections}.
 */
public final class ReceivedVotes {
  /** The latest term of a vote. */
  private long term;

  private final Set<RaftPeerId> voters = new HashSet<>();

  /** The latest term in which a majority was found. */
  private long electedTerm;

  /** Another replica has voted for this one. Votes of former terms are forgotten. */
  public synchronized void add(long votedTerm, RaftPeerId voter) {
    if (votedTerm > term) {
      term = votedTerm;
      voters.clear();
    }
    if (votedTerm == term) {
      voters.add(voter);
    }
  }

  /**
   * Whether this replica was elected in a term. Once it was, it stays so, whatever members its
   * group has later.
   *
   * @param self votes for itself
   * @param needed the voters of whom a majority elects a leader
   */
  synchronized boolean areEnough(long leaderTerm, RaftPeerId self, Majority<RaftPeerId> needed) {
    if (electedTerm != leaderTerm) {
      Set<RaftPeerId> all = new HashSet<>(leaderTerm == term ? voters : Set.of());
      all.add(self);
      if (!needed.isReachedBy(all) && !isAloneInFormer(self, needed)) {
        return false;
      }
      electedTerm = leaderTerm;
    }
    return true;
  }

  /**
   * Whether nobody else can be elected: while a second member is added to the only one, Ratis does
   * not wait for its vote, and no majority is without the first one.
   */
  private static boolean isAloneInFormer(RaftPeerId self, Majority<RaftPeerId> needed) {
    return needed.formerVoters().size() == 1 && needed.formerVoters().contains(self);
  }
}
