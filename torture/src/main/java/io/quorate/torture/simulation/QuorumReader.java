package io.quorate.torture.simulation;

import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.quorum.Merged;
import io.quorate.quorum.QuorumMerge;
import io.quorate.quorum.ReadReply;
import io.quorate.rabia.core.Mutation;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One quorum read of one key by a client (Q3, Q9): it sends requests, merges the replies, waits for
 * the barrier, or starts over.
 */
final class QuorumReader {
  /** Receives the result of a read. */
  interface Done {
    void complete(Position at, int value);
  }

  private static final long HEDGE_DELAY = 1_000_000;
  private static final long RETRY_DELAY = 5_000_000;

  private final Simulation simulation;
  private final Object client;
  private final int key;
  private final Done done;
  private Map<NodeId, ReadReply<Integer>> replies = new HashMap<>();
  private int attempt;
  private boolean over;

  QuorumReader(Simulation simulation, Object client, int key, Done done) {
    this.simulation = simulation;
    this.client = client;
    this.key = key;
    this.done = done;
  }

  void cancel() {
    over = true;
  }

  /** Discards all replies and requests new ones. */
  void start() {
    int thisAttempt = ++attempt;
    replies = new HashMap<>();
    List<NodeId> members = shuffled();
    int first = Math.min(members.size(), simulation.quorum());
    members.subList(0, first).forEach(node -> call(node, thisAttempt));
    simulation
        .scheduler()
        .in(
            HEDGE_DELAY,
            () -> {
              if (isCurrent(thisAttempt)) {
                members.subList(first, members.size()).forEach(node -> call(node, thisAttempt));
              }
            });
    simulation.scheduler().in(RETRY_DELAY, () -> restart(thisAttempt));
  }

  private void restart(int of) {
    if (isCurrent(of)) {
      start();
    }
  }

  private boolean isCurrent(int of) {
    return !over && of == attempt;
  }

  private List<NodeId> shuffled() {
    List<NodeId> members = new ArrayList<>(simulation.members());
    for (int i = members.size() - 1; i > 0; i--) {
      Collections.swap(members, i, simulation.scheduler().between(0, i));
    }
    return members;
  }

  private void call(NodeId node, int of) {
    simulation
        .network()
        .send(
            client,
            node,
            () ->
                simulation
                    .node(node)
                    .flatMap(n -> n.readReply(key))
                    .ifPresent(
                        reply ->
                            simulation.network().send(node, client, () -> receive(reply, of))));
  }

  private void receive(ReadReply<Integer> reply, int of) {
    if (!isCurrent(of)) {
      return;
    }
    replies.putIfAbsent(reply.replica(), reply);
    Merged<Integer> merged = merge();
    Runnable next =
        switch (merged.kind()) {
          case INCOMPLETE -> () -> {};
          case START_OVER -> this::start;
          case VALUE -> {
            Merged.Value<Integer> result = (Merged.Value<Integer>) merged;
            yield () -> finish(result.at(), result.value());
          }
          case WAIT -> () -> awaitBarrier((Merged.Wait<Integer>) merged, ++attempt);
        };
    next.run();
  }

  private Merged<Integer> merge() {
    List<ReadReply<Integer>> all = List.copyOf(replies.values());
    if (simulation.mutation() == Mutation.ONE_REPLY_SUFFICES) {
      return new Merged.Value<>(all.get(0).applied(), all.get(0).value());
    }
    if (simulation.mutation() == Mutation.BARRIER_WITHOUT_APPLIED
        && all.size() >= all.get(0).quorum()) {
      Position barrier = Position.NONE;
      for (ReadReply<Integer> reply : all) {
        barrier = reply.pending().compareTo(barrier) > 0 ? reply.pending() : barrier;
      }
      ReadReply<Integer> chosen = all.get(simulation.scheduler().between(0, all.size() - 1));
      return chosen.applied().covers(barrier)
          ? new Merged.Value<>(chosen.applied(), chosen.value())
          : new Merged.Wait<>(chosen.epoch(), barrier);
    }
    return QuorumMerge.merge(all);
  }

  /**
   * Sends the read to one replica, and to another one after each retry delay: any replica may serve
   * it at or beyond the barrier.
   */
  private void awaitBarrier(Merged.Wait<Integer> wait, int waiting) {
    if (!isCurrent(waiting)) {
      return;
    }
    NodeId node = shuffled().get(0);
    simulation
        .network()
        .send(
            client,
            node,
            () ->
                simulation
                    .node(node)
                    .ifPresent(n -> n.readAt(wait.barrier(), key, reply(node, wait, waiting))));
    simulation.scheduler().in(RETRY_DELAY, () -> awaitBarrier(wait, waiting));
  }

  private Simulation.BarrierReply reply(NodeId node, Merged.Wait<Integer> wait, int waiting) {
    return (epoch, at, value) ->
        simulation
            .network()
            .send(
                node,
                client,
                () -> {
                  if (!isCurrent(waiting)) {
                    return;
                  }
                  Violation.require(
                      at.covers(wait.barrier()),
                      "(13)",
                      () -> "read at " + at + " before the barrier");
                  if (QuorumMerge.stillValid(wait.epoch(), epoch)) {
                    finish(at, value);
                  } else {
                    start();
                  }
                });
  }

  private void finish(Position at, int value) {
    over = true;
    done.complete(at, value);
  }
}
