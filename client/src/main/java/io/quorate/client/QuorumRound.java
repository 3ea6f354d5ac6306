package io.quorate.client;

import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import io.quorate.consensus.quorum.Merged;
import io.quorate.consensus.quorum.QuorumRule;
import io.quorate.consensus.quorum.Share;
import io.quorate.consensus.quorum.ShareMerge;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Decides whom a quorum read asks, and what it makes of the answers (PROTOCOLS Q3, Q9). First it
 * takes shares of a quorum; where those do not hold the answer, it asks one replica for its state
 * behind their barrier. Does no I/O and knows no time.
 *
 * @param <V> what is read
 */
final class QuorumRound<V> {

  /** What to do next. */
  sealed interface Step<V> {

    /** Ask these replicas for a state that covers {@code atLeast}. */
    record Ask<V>(List<NodeId> replicas, Position atLeast) implements Step<V> {}

    /** Wait for what has been asked. */
    record Await<V>() implements Step<V> {}

    /** The read is done. */
    record Answer<V>(V value) implements Step<V> {}

    /** The configuration changed under the read (Q7): begin anew. */
    record StartOver<V>() implements Step<V> {}

    /** A write is on its way, and shares are to be taken anew after a while. */
    record Pause<V>() implements Step<V> {}

    /** Too few replicas are left to ask. */
    record Exhausted<V>() implements Step<V> {}
  }

  private final QuorumRule rule;
  private final List<NodeId> order;
  private final Map<NodeId, Share<V>> shares = new LinkedHashMap<>();

  /** Present once there is a barrier to get behind. */
  private Optional<Merged.Wait<V>> barrier = Optional.empty();

  /** Who has not been asked yet for what is needed now, the first to be asked first. */
  private final List<NodeId> candidates;

  /** Who was asked for what is needed now and has not answered. */
  private final Set<NodeId> unanswered = new HashSet<>();

  private final Set<NodeId> late = new HashSet<>();

  /**
   * @param order the region's replicas, the first to be asked first; at least one
   * @param rule how shares are merged
   */
  QuorumRound(List<NodeId> order, QuorumRule rule) {
    this.rule = rule;
    this.order = List.copyOf(order);
    this.candidates = new ArrayList<>(order);
  }

  /** How the round begins. Called once, first. */
  Step<V> begin() {
    return goOn();
  }

  /**
   * A replica answered.
   *
   * @param atLeast what it was asked for
   */
  Step<V> answered(Share<V> share, Position atLeast) {
    late.remove(share.replica());
    settle(share.replica(), atLeast);
    return barrier.isPresent() ? behind(barrier.get(), share) : collected(share);
  }

  /**
   * A replica cannot help.
   *
   * @param atLeast what it was asked for
   */
  Step<V> failed(NodeId replica, Position atLeast) {
    late.remove(replica);
    settle(replica, atLeast);
    return goOn();
  }

  /** Answers take longer than they mostly do: the others are asked too, once (Q9). */
  Step<V> overdue() {
    late.addAll(unanswered);
    return candidates.isEmpty() ? new Step.Await<>() : ask(candidates.size());
  }

  /** Whom it was overdue to hear from, and who has not answered to this moment. */
  Set<NodeId> late() {
    return Set.copyOf(late);
  }

  /** Who was asked for what is needed now and has not answered. */
  Set<NodeId> unanswered() {
    return Set.copyOf(unanswered);
  }

  private Step<V> collected(Share<V> share) {
    shares.put(share.replica(), share);
    Merged<V> merged = ShareMerge.merge(shares.values(), rule);
    if (merged instanceof Merged.Answer<V> answer) {
      return new Step.Answer<>(answer.value());
    } else if (merged instanceof Merged.StartOver<V>) {
      return new Step.StartOver<>();
    } else if (merged instanceof Merged.Wait<V> && rule == QuorumRule.RETRY) {
      return new Step.Pause<>();
    } else if (merged instanceof Merged.Wait<V> wait) {
      barrier = Optional.of(wait);
      unanswered.clear();
      candidates.clear();
      candidates.addAll(byProgress());
    }
    return goOn();
  }

  /**
   * A state at the barrier answers the read, whoever has it, if it knows no configuration beyond
   * that of the shares. A share that was asked for before there was a barrier may be such a state.
   */
  private Step<V> behind(Merged.Wait<V> wait, Share<V> share) {
    if (!share.applied().covers(wait.barrier())) {
      return goOn();
    }
    return ShareMerge.stillValid(wait.epoch(), share.epoch())
        ? new Step.Answer<>(share.value())
        : new Step.StartOver<>();
  }

  private void settle(NodeId replica, Position atLeast) {
    if (atLeast.equals(atLeast())) {
      unanswered.remove(replica);
    }
  }

  /** Asks as many more as are needed, if they are not asked already. */
  private Step<V> goOn() {
    int needed = barrier.isPresent() ? 1 : quorum() - shares.size();
    int missing = needed - unanswered.size();
    if (missing <= 0) {
      return new Step.Await<>();
    }
    return missing <= candidates.size() ? ask(missing) : new Step.Exhausted<>();
  }

  private Step<V> ask(int count) {
    List<NodeId> next = List.copyOf(candidates.subList(0, count));
    candidates.removeAll(next);
    unanswered.addAll(next);
    return new Step.Ask<>(next, atLeast());
  }

  private Position atLeast() {
    return barrier.map(Merged.Wait::barrier).orElse(Position.NONE);
  }

  /** As the replicas say that have answered; before that, a majority of those on the map. */
  private int quorum() {
    return shares.values().stream().mapToInt(Share::quorum).max().orElse(order.size() / 2 + 1);
  }

  /** Every replica, the one that had executed most first: it is the first to get to the barrier. */
  private List<NodeId> byProgress() {
    List<NodeId> sorted = new ArrayList<>(order);
    sorted.sort(
        Comparator.comparing(
                (NodeId node) ->
                    shares.containsKey(node) ? shares.get(node).applied() : Position.NONE)
            .reversed());
    return sorted;
  }
}
