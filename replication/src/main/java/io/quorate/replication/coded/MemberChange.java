package io.quorate.replication.coded;

import io.quorate.model.NodeId;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * The change of members that a leader prepares or has requested (decision 0049). A preparation is
 * of one term: another leader may have proposed bodies without regard to it. Guarded by the lock of
 * {@link BodyProposer}, and part of {@link BodyServers}.
 */
final class MemberChange {
  private record Prepared(long term, List<NodeId> members, boolean isComplete) {}

  private Optional<Prepared> prepared = Optional.empty();

  /** The number of requests to Raft that have not ended. */
  private int requests;

  boolean isRequested() {
    return requests > 0;
  }

  /** Begins a preparation, in place of a former one. */
  void prepare(long term, Collection<NodeId> members) {
    prepared = Optional.of(new Prepared(term, GroupMembers.ordered(members), false));
  }

  /** The members after the change that is prepared in a term. */
  Optional<List<NodeId>> members(long term) {
    return prepared.filter(change -> change.term() == term).map(Prepared::members);
  }

  /** Records that all bodies are copied; has no effect if another preparation has begun. */
  void complete(long term, Collection<NodeId> members) {
    Prepared complete = new Prepared(term, GroupMembers.ordered(members), true);
    if (members(term).equals(Optional.of(complete.members()))) {
      prepared = Optional.of(complete);
    }
  }

  /**
   * Records a request to Raft, if it may be sent.
   *
   * @param now the members by the log
   * @return false if the change is not prepared
   */
  boolean request(long term, Collection<NodeId> members, GroupMembers now) {
    boolean changesNothing = now.areExactly(members);
    if (!changesNothing
        && !prepared.equals(Optional.of(new Prepared(term, GroupMembers.ordered(members), true)))) {
      return false;
    }
    if (changesNothing && requests == 0) {
      prepared = Optional.empty();
    }
    requests++;
    return true;
  }

  /**
   * Records the end of a request.
   *
   * @param now the members by the log
   */
  void ended(GroupMembers now) {
    requests--;
    prepared = prepared.filter(change -> !now.areExactly(change.members()));
  }
}
