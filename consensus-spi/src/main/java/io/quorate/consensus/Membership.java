package io.quorate.consensus;

import java.util.List;
import java.util.concurrent.CompletionStage;

/** Control of who the members of a group are. */
public interface Membership extends GroupControl {
  /**
   * Changes the members by one: one is added, removed, or replaced. A member whose disk is lost is
   * replaced by one with a new id. A replica that is to become a member opens the group, with its
   * present members, before; it catches up first, and counts only then. Does not block.
   *
   * @return completes when the change is in force, as {@link ConsensusGroup#view} shows, and a
   *     quorum of the new members holds the state. Fails with {@link ConsensusException.Invalid}
   *     for members that one change cannot lead to, {@link ConsensusException.Redirect} where
   *     another replica must be used, {@link ConsensusException.Unavailable} if the new member did
   *     not catch up in time and nothing was changed, and {@link ConsensusException.Indeterminate}
   *     if the change was proposed and is not known to be in force; look at the view, and try
   *     again.
   */
  CompletionStage<Void> change(List<Member> members);
}
