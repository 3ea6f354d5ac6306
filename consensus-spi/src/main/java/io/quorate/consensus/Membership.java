package io.quorate.consensus;

import io.quorate.model.NodeId;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** Configuration changes of a group. */
public interface Membership extends GroupControl {
  /**
   * Changes one member: adds, removes or replaces it. A member whose disk is lost must be replaced
   * by a member with a new id. Before the call, the node of a new member opens the group with its
   * current members; if it had a replica of the group before, it has removed that, or keeps it as
   * the new one, because what a member has acknowledged must not be removed. The new member first
   * catches up and is counted in quorums only afterwards. May be called from any thread; does not
   * block. An engine may give up an earlier change whose new member has not caught up, because
   * another one is requested. In a group with {@link BodyReplication}, a change is {@linkplain
   * BodyReplication#prepare prepared} before it.
   *
   * @param members all members after the change
   * @param epoch the epoch of the group ({@link GroupStatus#epoch}) in which the caller has
   *     verified that the change is to be made: in a later one, others may have made and undone it
   * @param number the number of the change, 1 or greater. Every change has a greater number than
   *     those before it; a change that is repeated keeps its number. A new member has joined by
   *     this one or an earlier one ({@link GroupSpec#joinedBy}).
   * @return completes when the change is in force, as {@link ConsensusGroup#view} shows, and a
   *     quorum of the new members holds the state. Fails with {@link ConsensusException.Invalid} if
   *     one change cannot lead to these members, {@link ConsensusException.Redirect} if another
   *     replica must serve the request, also when this one led and has transferred its leadership
   *     because it is not among {@code members}, {@link ConsensusException.Overloaded} while
   *     another change is in progress, {@link ConsensusException.Unavailable} if the new member did
   *     not catch up in time, the change is not prepared, most members after it would not respond,
   *     or the group has another epoch by now, and nothing was changed, and {@link
   *     ConsensusException.Indeterminate} if the change was proposed and is not known to be in
   *     force; the caller then reads the view and retries if necessary. After a replacement that
   *     failed so, the view may have both members, or neither; the same change completes it.
   */
  CompletionStage<Void> change(List<Member> members, long epoch, long number);

  /**
   * Whether one change leads from the present members to the next ones: at most one is added and at
   * most one is removed, so that at most one member without data is added at a time. Majorities of
   * the two configurations need not have a member in common if one is replaced: an engine then
   * requires both, or adds the new member first.
   *
   * @return false also if no members would remain or if one is listed twice
   */
  static boolean isOneChange(List<NodeId> present, List<NodeId> next) {
    Set<NodeId> added = new HashSet<>(next);
    if (added.isEmpty() || added.size() != next.size()) {
      return false;
    }
    Set<NodeId> removed = new HashSet<>(present);
    removed.removeAll(added);
    added.removeAll(new HashSet<>(present));
    return added.size() <= 1 && removed.size() <= 1;
  }
}
