package io.quorate.consensus;

import java.util.List;
import java.util.concurrent.CompletionStage;

/** Configuration changes of a group. */
public interface Membership extends GroupControl {
  /**
   * Changes one member: adds, removes or replaces it. A member whose disk is lost must be replaced
   * by a member with a new id. Before the call, the node of a new member opens the group with its
   * current members. The new member first catches up and is counted in quorums only afterwards. May
   * be called from any thread; does not block.
   *
   * @param members all members after the change
   * @return completes when the change is in force, as {@link ConsensusGroup#view} shows, and a
   *     quorum of the new members holds the state. Fails with {@link ConsensusException.Invalid} if
   *     one change cannot lead to these members, {@link ConsensusException.Redirect} if another
   *     replica must serve the request, also when this one led and has transferred its leadership
   *     because it is not among {@code members}, {@link ConsensusException.Overloaded} while
   *     another change is in progress, {@link ConsensusException.Unavailable} if the new member did
   *     not catch up in time and nothing was changed, and {@link ConsensusException.Indeterminate}
   *     if the change was proposed and is not known to be in force; the caller then reads the view
   *     and retries if necessary.
   */
  CompletionStage<Void> change(List<Member> members);
}
