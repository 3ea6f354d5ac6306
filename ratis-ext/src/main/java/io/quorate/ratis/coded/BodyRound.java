package io.quorate.ratis.coded;

import io.quorate.consensus.NodeId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
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

  private final BodyQuorums quorums;
  private final NodeId leader;
  private final List<NodeId> followers;
  private final Map<NodeId, Form> held = new HashMap<>();
  private final Set<NodeId> sentComplete = new HashSet<>();
  private boolean proposed;

  /**
   * @param followers the other servers of the group, those that respond fastest first
   */
  public BodyRound(BodyQuorums quorums, NodeId leader, List<NodeId> followers) {
    if (followers.size() != quorums.servers() - 1 || followers.contains(leader)) {
      throw new IllegalArgumentException(
          "A group of " + quorums.servers() + " servers has other followers than " + followers);
    }
    this.quorums = quorums;
    this.leader = leader;
    this.followers = List.copyOf(followers);
  }

  /**
   * Begins the round: with fragments if the responsive followers suffice for them together with the
   * leader, otherwise with complete copies for the fastest and fragments for the others.
   *
   * @param responsive followers that have responded lately
   * @param extraCopies p, complete copies beyond the F that are needed; from 0 to F
   */
  public List<Action> start(Set<NodeId> responsive, int extraCopies) {
    int reachable = 1 + (int) followers.stream().filter(responsive::contains).count();
    if (reachable >= quorums.holders()) {
      return followers.stream().<Action>map(Action.SendFragment::new).toList();
    }
    List<Action> actions = new ArrayList<>(sendComplete(responsive, extraCopies));
    for (NodeId follower : followers) {
      if (!sentComplete.contains(follower)) {
        actions.add(new Action.SendFragment(follower));
      }
    }
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
    return followers.stream().filter(held::containsKey).count() >= quorums.failuresMax();
  }

  private List<Action> sendComplete(Set<NodeId> responsive, int extraCopies) {
    List<NodeId> order = new ArrayList<>(followers);
    order.removeIf(follower -> held.get(follower) == Form.COMPLETE);
    // Stable: the fastest first among those that respond and were sent no copy.
    order.sort(
        Comparator.<NodeId, Boolean>comparing(sentComplete::contains)
            .thenComparing(follower -> !responsive.contains(follower)));
    int copies = Math.min(order.size(), quorums.failuresMax() + extraCopies);
    List<Action> actions = new ArrayList<>(copies);
    for (NodeId follower : order.subList(0, copies)) {
      sentComplete.add(follower);
      actions.add(new Action.SendComplete(follower));
    }
    return actions;
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
    Map<Form, Integer> count = new EnumMap<>(Form.class);
    held.values().forEach(form -> count.merge(form, 1, Integer::sum));
    return held.containsKey(leader)
        && quorums.areMet(
            count.getOrDefault(Form.FRAGMENT, 0), count.getOrDefault(Form.COMPLETE, 0));
  }

  /** Whether the header was proposed; if not, the body was never part of the log. */
  public boolean isProposed() {
    return proposed;
  }
}
