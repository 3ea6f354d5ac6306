package io.quorate.consensus;

import java.util.List;
import java.util.concurrent.CompletionStage;

/** Control of who the members of a group are. */
public interface Membership extends GroupControl {
  /**
   * Asks for other members. A member whose disk is lost is replaced by one with a new id; a replica
   * that is to become a member opens the group, with its present members, before or after. Does not
   * block.
   *
   * @return completes when the change is in force, as {@link ConsensusGroup#view} shows. Fails with
   *     {@link ConsensusException.Invalid} for members that no group can have, {@link
   *     ConsensusException.Redirect} where another replica must be asked, and {@link
   *     ConsensusException.Indeterminate} if it was not in force in time; look at the view, and ask
   *     again.
   */
  CompletionStage<Void> change(List<Member> members);
}
