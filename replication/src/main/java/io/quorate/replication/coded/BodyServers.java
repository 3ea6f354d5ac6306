package io.quorate.replication.coded;

import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.Membership;
import io.quorate.model.NodeId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The leader's choice of the servers that receive its bodies: the present members, those after a
 * change of members that is prepared or in the log (decision 0049), and which of them respond
 * promptly. Guarded by the lock of {@link BodyProposer}; no clock, disk or network.
 */
final class BodyServers {
  private static final Duration RETRY_CHANGE_AFTER = Duration.ofSeconds(1);

  private final NodeId self;
  private final MemberChange change = new MemberChange();

  /**
   * Followers that were late with a body, until they store one in time: they may respond to Raft
   * and have a slow disk. No later body waits for them.
   */
  private final Set<NodeId> late = new HashSet<>();

  BodyServers(NodeId self) {
    this.self = self;
  }

  /**
   * The servers of one body.
   *
   * @param electorates of each, every majority has to be able to restore the body; the servers of
   *     the first have a fragment each
   * @param all the servers of all electorates, this one included
   * @param prompt those that respond promptly, perhaps with servers of no electorate
   * @param followers the other servers of all electorates, the prompt ones first
   */
  record Choice(
      List<List<NodeId>> electorates,
      Set<NodeId> all,
      List<NodeId> prompt,
      List<NodeId> followers) {}

  /**
   * Chooses the servers of a body that is proposed now.
   *
   * @param term the term of the body
   * @param coded the servers with a fragment of the body each, which are the first electorate
   * @param members by the log of the leader
   * @param responsive the followers that have responded lately, the last one first
   */
  Choice choose(long term, List<NodeId> coded, GroupMembers members, List<NodeId> responsive) {
    List<List<NodeId>> electorates =
        Stream.of(
                Stream.of(coded, members.present()),
                members.next().stream(),
                change.members(term).stream())
            .flatMap(each -> each)
            .distinct()
            .toList();
    Set<NodeId> all = new LinkedHashSet<>();
    electorates.forEach(all::addAll);
    List<NodeId> prompt = prompt(all, members, responsive);
    Set<NodeId> order = new LinkedHashSet<>(prompt);
    order.retainAll(all);
    order.addAll(all);
    order.remove(self);
    return new Choice(electorates, all, prompt, List.copyOf(order));
  }

  /** A server that is no member yet counts as responsive until it is late. */
  private List<NodeId> prompt(
      Collection<NodeId> servers, GroupMembers members, List<NodeId> responsive) {
    List<NodeId> prompt = new ArrayList<>(responsive);
    servers.stream()
        .filter(server -> !members.present().contains(server) && !responsive.contains(server))
        .forEach(prompt::add);
    prompt.removeAll(late);
    return prompt;
  }

  /** Those of the followers that have responded lately that are not late, in the same order. */
  List<NodeId> prompt(List<NodeId> responsive) {
    return responsive.stream().filter(server -> !late.contains(server)).toList();
  }

  /** Records that followers were late with a body. */
  void late(Set<NodeId> followers) {
    late.addAll(followers);
  }

  /** Records that a server has stored a body in time. */
  void inTime(NodeId server) {
    late.remove(server);
  }

  /**
   * Begins to prepare a change of members, in place of a former preparation.
   *
   * @param now the members by the log
   * @return the electorate that every body of this term has to be restored by from now on
   * @throws ConsensusException.Overloaded if another change is in the log or requested
   * @throws ConsensusException.Invalid if it is more than one change
   */
  List<NodeId> prepare(long term, List<NodeId> members, GroupMembers now) {
    if (now.next().isPresent() || change.isRequested()) {
      throw new ConsensusException.Overloaded(
          "Another change of members is in progress.", RETRY_CHANGE_AFTER);
    }
    if (!Membership.isOneChange(now.present(), members)) {
      throw new ConsensusException.Invalid(
          "A change adds one member, removes one, or replaces one; the members are "
              + now.present()
              + ".");
    }
    change.prepare(term, members);
    return GroupMembers.ordered(members);
  }

  /** Records that the bodies of a preparation are copied. */
  void prepared(long term, List<NodeId> members) {
    change.complete(term, members);
  }

  /**
   * Records a request to Raft for a change of members, which {@link #changeEnded} follows.
   *
   * @param now the members by the log
   * @throws ConsensusException.Unavailable if the change is not prepared
   */
  void changeRequested(long term, List<NodeId> members, GroupMembers now) {
    if (!change.request(term, members, now)) {
      throw new ConsensusException.Unavailable(
          "The bodies of large values are not copied for this change of members.");
    }
  }

  /** Records the end of a request to Raft. */
  void changeEnded(GroupMembers now) {
    change.ended(now);
  }
}
