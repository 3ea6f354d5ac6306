package io.quorate.replication.coded.round;

import io.quorate.model.NodeId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The replication of one body by its leader, from the first message to the proposal of its header
 * (CRaft, sections 3.2 to 3.4, with the body first). The caller sends what a method returns and
 * reports what the followers have made durable. Not thread-safe; no clock, disk or network.
 *
 * <p>Fragments are sent if enough followers have responded lately; otherwise, and where fragments
 * are stuck, complete copies. A follower with a complete copy counts for both quorums, one with a
 * fragment only for that of all holders: a fragment is never counted as a complete copy.
 *
 * <p>While members change or are about to, two electorates have to be able to restore the body
 * (decision 0049). The servers of the first hold fragments, and the new member a complete copy.
 */
public final class BodyRound {
  /** What a server holds. */
  public enum Form {
    FRAGMENT,
    COMPLETE
  }

  /** What the leader does next. */
  public sealed interface Action {
    /** Sends the follower its fragment. */
    record SendFragment(NodeId to) implements Action {}

    /** Sends the follower the whole body, which replaces a fragment that it may hold. */
    record SendComplete(NodeId to) implements Action {}

    /** Proposes the header. At most once, and the last action. */
    record Propose() implements Action {}
  }

  private final NodeId leader;
  private final List<NodeId> followers;
  private final int dataFragments;
  private final List<Electorate> electorates;

  /** The servers with a fragment of their own. */
  private final Set<NodeId> coded;

  private final Map<NodeId, Form> held = new HashMap<>();
  private final Set<NodeId> sentComplete = new HashSet<>();
  private boolean proposed;

  /**
   * @param followers the other servers of all electorates, those that respond fastest first
   * @param dataFragments k, the number of fragments that restore the body
   * @param electorates the servers of each, at least one; those of the first have a fragment each
   */
  public BodyRound(
      NodeId leader, List<NodeId> followers, int dataFragments, List<List<NodeId>> electorates) {
    Set<NodeId> servers = new HashSet<>(followers);
    servers.add(leader);
    Set<NodeId> expected = new HashSet<>();
    electorates.forEach(expected::addAll);
    expected.add(leader);
    if (!servers.equals(expected) || followers.size() != servers.size() - 1) {
      throw new IllegalArgumentException(
          "The followers of " + leader + " in " + electorates + " are others than " + followers);
    }
    this.leader = leader;
    this.followers = new ArrayList<>(followers);
    this.dataFragments = dataFragments;
    this.electorates = new ArrayList<>();
    electorates.forEach(each -> this.electorates.add(new Electorate(each, dataFragments)));
    this.coded = Set.copyOf(electorates.get(0));
  }

  /**
   * Begins the round: with fragments if the responsive followers suffice for them together with the
   * leader, otherwise with complete copies for the fastest and fragments for the others.
   *
   * @param responsive followers that have responded lately
   * @param extraCopies p, complete copies beyond the F that are needed; from 0 to F
   */
  public List<Action> start(Set<NodeId> responsive, int extraCopies) {
    List<Action> actions = new ArrayList<>();
    if (electorates.stream().anyMatch(each -> reachable(each, responsive) < holders(each))) {
      actions.addAll(sendComplete(responsive, extraCopies));
    }
    for (NodeId follower : followers) {
      if (sentComplete.contains(follower)) {
        continue;
      }
      actions.add(
          coded.contains(follower) ? new Action.SendFragment(follower) : complete(follower));
    }
    return actions;
  }

  private static int holders(Electorate electorate) {
    return electorate.quorums().holders();
  }

  private int reachable(Electorate electorate, Set<NodeId> responsive) {
    return (int)
        electorate.servers().stream()
            .filter(server -> server.equals(leader) || responsive.contains(server))
            .count();
  }

  private Action complete(NodeId follower) {
    sentComplete.add(follower);
    return new Action.SendComplete(follower);
  }

  /**
   * Adds an electorate that has to be able to restore the body as well. A proposal that is not
   * carried out yet is taken back if it does not.
   *
   * @return what its servers need
   */
  public List<Action> require(List<NodeId> electorate) {
    electorates.add(new Electorate(electorate, dataFragments));
    List<Action> actions = new ArrayList<>();
    for (NodeId server : electorate) {
      if (!server.equals(leader) && !followers.contains(server)) {
        followers.add(server);
        actions.add(complete(server));
      }
    }
    proposed &= isRecoverable();
    return actions;
  }

  /**
   * Sends complete copies, because the fragments have not become durable in time. May be called
   * again, if copies have not become durable either: each call prefers followers that were sent
   * none, and repeats copies otherwise.
   *
   * @param responsive followers that have responded lately
   */
  public List<Action> fallBack(Set<NodeId> responsive) {
    return proposed ? List.of() : sendComplete(responsive, 0);
  }

  /** The followers that have not made the body durable in any form. */
  public Set<NodeId> missing() {
    Set<NodeId> missing = new HashSet<>(followers);
    missing.removeAll(held.keySet());
    return missing;
  }

  /** Whether F followers hold the body, in any form. */
  public boolean isHeldByFollowers() {
    return followers.stream().filter(held::containsKey).count() >= failuresMax();
  }

  private int failuresMax() {
    return electorates.stream().mapToInt(each -> each.quorums().failuresMax()).max().orElseThrow();
  }

  private List<Action> sendComplete(Set<NodeId> responsive, int extraCopies) {
    List<NodeId> order = new ArrayList<>(followers);
    order.removeIf(follower -> held.get(follower) == Form.COMPLETE);
    // Stable: the fastest first among those that respond and were sent no copy.
    order.sort(
        Comparator.<NodeId, Boolean>comparing(sentComplete::contains)
            .thenComparing(follower -> !responsive.contains(follower))
            .thenComparing(follower -> !isInEach(follower)));
    int copies = Math.min(order.size(), failuresMax() + extraCopies);
    return order.subList(0, copies).stream().map(this::complete).toList();
  }

  /** Its copy counts in each electorate. */
  private boolean isInEach(NodeId server) {
    return electorates.stream().allMatch(each -> each.servers().contains(server));
  }

  /**
   * Records what a server has made durable; the leader's own copy is complete. A complete copy is
   * never replaced by a fragment, so a late report of one has no effect.
   *
   * @return the proposal, if it is due now
   */
  public List<Action> durable(NodeId server, Form form) {
    if (!server.equals(leader) && !followers.contains(server)) {
      throw new IllegalArgumentException(server + " is no server of the group.");
    }
    held.merge(server, form, (one, other) -> one == Form.COMPLETE ? one : other);
    if (proposed || !isRecoverable()) {
      return List.of();
    }
    proposed = true;
    return List.of(new Action.Propose());
  }

  /** The leader must hold the body too: it serves reads and sends it to those that miss it. */
  private boolean isRecoverable() {
    return held.containsKey(leader) && electorates.stream().allMatch(each -> each.canRestore(held));
  }

  /** Whether the header is to be proposed, or was. */
  public boolean isProposed() {
    return proposed;
  }
}
