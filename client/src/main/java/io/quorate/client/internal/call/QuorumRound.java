package io.quorate.client.internal.call;

import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.quorum.Merged;
import io.quorate.quorum.QuorumMerge;
import io.quorate.quorum.QuorumRule;
import io.quorate.quorum.ReadReply;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Decides which replicas a quorum read queries, and evaluates their replies (rules Q3 and Q9).
 * First it collects the read replies of a quorum; if these do not contain the result, it requests
 * the state behind their barrier from one replica. Does no I/O and does not read a clock.
 *
 * @param <V> the type of the value that is read
 */
final class QuorumRound<V> {

  /** The next step of the read. */
  sealed interface Step<V> {

    /** Send a request for a state that covers {@code atLeast} to these replicas. */
    record Send<V>(List<NodeId> replicas, Position atLeast) implements Step<V> {
      @Override
      public void accept(Visitor<V> visitor) {
        visitor.send(this);
      }
    }

    /** Wait for the responses to the requests in flight. */
    record Await<V>() implements Step<V> {
      @Override
      public void accept(Visitor<V> visitor) {
        visitor.await(this);
      }
    }

    /** The read is complete. */
    record Complete<V>(V value) implements Step<V> {
      @Override
      public void accept(Visitor<V> visitor) {
        visitor.complete(this);
      }
    }

    /** The configuration changed during the read (Q7): restart the read. */
    record Restart<V>() implements Step<V> {
      @Override
      public void accept(Visitor<V> visitor) {
        visitor.restart(this);
      }
    }

    /** A write is pending: collect all read replies again after a pause. */
    record Pause<V>() implements Step<V> {
      @Override
      public void accept(Visitor<V> visitor) {
        visitor.pause(this);
      }
    }

    /** Too few replicas are left to query. */
    record Exhausted<V>() implements Step<V> {
      @Override
      public void accept(Visitor<V> visitor) {
        visitor.exhausted(this);
      }
    }

    /** Carries out a step of each kind. */
    interface Visitor<V> {
      void send(Send<V> step);

      void await(Await<V> step);

      void complete(Complete<V> step);

      void restart(Restart<V> step);

      void pause(Pause<V> step);

      void exhausted(Exhausted<V> step);
    }

    void accept(Visitor<V> visitor);
  }

  private final QuorumRule rule;
  private final List<NodeId> order;
  private final Map<NodeId, ReadReply<V>> replies = new LinkedHashMap<>();

  /** Present once the replies have produced a barrier. */
  private Optional<Merged.Wait<V>> barrier = Optional.empty();

  /** The replicas that have not been queried in the present phase, in the order of preference. */
  private final List<NodeId> candidates;

  /** The replicas that were queried in the present phase and have not responded. */
  private final Set<NodeId> awaited = new HashSet<>();

  private final Set<NodeId> late = new HashSet<>();

  /**
   * @param order the replicas of the region in the order of preference; at least one
   * @param rule how read replies are merged
   */
  QuorumRound(List<NodeId> order, QuorumRule rule) {
    this.rule = rule;
    this.order = List.copyOf(order);
    this.candidates = new ArrayList<>(order);
  }

  /** Returns the first step. Called once, before every other method. */
  Step<V> begin() {
    return proceed();
  }

  /**
   * Evaluates the reply of a replica.
   *
   * @param atLeast the position that was requested from it
   */
  Step<V> replied(ReadReply<V> reply, Position atLeast) {
    late.remove(reply.replica());
    settle(reply.replica(), atLeast);
    return barrier.isPresent() ? atBarrier(barrier.get(), reply) : collected(reply);
  }

  /**
   * Called when a replica cannot serve the read.
   *
   * @param atLeast the position that was requested from it
   */
  Step<V> failed(NodeId replica, Position atLeast) {
    late.remove(replica);
    settle(replica, atLeast);
    return proceed();
  }

  /** Called when responses take longer than usual: queries the other replicas too, once (Q9). */
  Step<V> hedge() {
    late.addAll(awaited);
    return candidates.isEmpty() ? new Step.Await<>() : send(candidates.size());
  }

  /** The replicas that were overdue when the read was hedged and have not responded since. */
  Set<NodeId> late() {
    return Set.copyOf(late);
  }

  /** The replicas that were queried in the present phase and have not responded. */
  Set<NodeId> awaited() {
    return Set.copyOf(awaited);
  }

  private Step<V> collected(ReadReply<V> reply) {
    replies.put(reply.replica(), reply);
    Merged<V> merged = QuorumMerge.merge(replies.values(), rule);
    return switch (merged.kind()) {
      case VALUE -> new Step.Complete<>(((Merged.Value<V>) merged).value());
      case START_OVER -> new Step.Restart<>();
      case WAIT ->
          rule == QuorumRule.RETRY ? new Step.Pause<>() : awaitBarrier((Merged.Wait<V>) merged);
      case INCOMPLETE -> proceed();
    };
  }

  private Step<V> awaitBarrier(Merged.Wait<V> wait) {
    barrier = Optional.of(wait);
    awaited.clear();
    candidates.clear();
    candidates.addAll(byProgress());
    return proceed();
  }

  /**
   * The state of any replica at the barrier completes the read, if the configuration of the replica
   * is not later than that of the read replies. A reply to a request from before the barrier may
   * have such a state.
   */
  private Step<V> atBarrier(Merged.Wait<V> wait, ReadReply<V> reply) {
    if (!reply.applied().covers(wait.barrier())) {
      return proceed();
    }
    return QuorumMerge.stillValid(wait.epoch(), reply.epoch())
        ? new Step.Complete<>(reply.value())
        : new Step.Restart<>();
  }

  private void settle(NodeId replica, Position atLeast) {
    if (atLeast.equals(atLeast())) {
      awaited.remove(replica);
    }
  }

  /** Queries as many further replicas as are needed and not queried yet. */
  private Step<V> proceed() {
    int needed = barrier.isPresent() ? 1 : quorum() - replies.size();
    int missing = needed - awaited.size();
    if (missing <= 0) {
      return new Step.Await<>();
    }
    return missing <= candidates.size() ? send(missing) : new Step.Exhausted<>();
  }

  private Step<V> send(int count) {
    List<NodeId> next = List.copyOf(candidates.subList(0, count));
    candidates.removeAll(next);
    awaited.addAll(next);
    return new Step.Send<>(next, atLeast());
  }

  private Position atLeast() {
    return barrier.map(Merged.Wait::barrier).orElse(Position.NONE);
  }

  /**
   * The quorum size that the replies contain; before the first reply, a majority of the replicas in
   * the topology.
   */
  private int quorum() {
    return replies.values().stream().mapToInt(ReadReply::quorum).max().orElse(order.size() / 2 + 1);
  }

  /**
   * Returns every replica, that with the highest applied position first: it reaches the barrier
   * first.
   */
  private List<NodeId> byProgress() {
    List<NodeId> sorted = new ArrayList<>(order);
    sorted.sort(
        Comparator.comparing(
                (NodeId node) ->
                    replies.containsKey(node) ? replies.get(node).applied() : Position.NONE)
            .reversed());
    return sorted;
  }
}
