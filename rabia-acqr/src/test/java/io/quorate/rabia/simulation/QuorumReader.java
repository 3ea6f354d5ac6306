package io.quorate.rabia.simulation;

import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import io.quorate.consensus.quorum.Merged;
import io.quorate.consensus.quorum.QuorumMerge;
import io.quorate.consensus.quorum.ReadReply;
import io.quorate.rabia.core.Mutation;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One quorum read of one key at a client (Q3, Q9): asks, merges, waits, starts over. */
final class QuorumReader {
  /** How a read ends. */
  interface Done {
    void read(Position at, int value);
  }

  private static final long HEDGE = 1_000_000;
  private static final long RETRY = 5_000_000;

  private final Simulation simulation;
  private final Object client;
  private final int key;
  private final Done done;
  private Map<NodeId, ReadReply<Integer>> shares = new HashMap<>();
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

  /** Takes all shares anew. */
  void start() {
    int thisAttempt = ++attempt;
    shares = new HashMap<>();
    List<NodeId> members = shuffled();
    int first = Math.min(members.size(), simulation.quorum());
    members.subList(0, first).forEach(node -> call(node, thisAttempt));
    simulation
        .scheduler()
        .in(
            HEDGE,
            () -> {
              if (isCurrent(thisAttempt)) {
                members.subList(first, members.size()).forEach(node -> call(node, thisAttempt));
              }
            });
    simulation.scheduler().in(RETRY, () -> restart(thisAttempt));
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
        .carry(
            client,
            node,
            () ->
                simulation
                    .node(node)
                    .flatMap(n -> n.share(key))
                    .ifPresent(
                        share -> simulation.network().carry(node, client, () -> take(share, of))));
  }

  private void take(ReadReply<Integer> share, int of) {
    if (!isCurrent(of)) {
      return;
    }
    shares.putIfAbsent(share.replica(), share);
    Merged<Integer> merged = merge();
    if (merged instanceof Merged.Answer<Integer> answer) {
      finish(answer.at(), answer.value());
    } else if (merged instanceof Merged.StartOver<Integer>) {
      start();
    } else if (merged instanceof Merged.Wait<Integer> wait) {
      int waiting = ++attempt;
      awaitBarrier(wait, waiting);
    }
  }

  private Merged<Integer> merge() {
    List<ReadReply<Integer>> all = List.copyOf(shares.values());
    if (simulation.mutation() == Mutation.ONE_SHARE_ANSWERS) {
      return new Merged.Answer<>(all.get(0).applied(), all.get(0).value());
    }
    if (simulation.mutation() == Mutation.BARRIER_WITHOUT_APPLIED
        && all.size() >= all.get(0).quorum()) {
      Position barrier = Position.NONE;
      for (ReadReply<Integer> share : all) {
        barrier = share.pending().compareTo(barrier) > 0 ? share.pending() : barrier;
      }
      ReadReply<Integer> asked = all.get(simulation.scheduler().between(0, all.size() - 1));
      return asked.applied().covers(barrier)
          ? new Merged.Answer<>(asked.applied(), asked.value())
          : new Merged.Wait<>(asked.epoch(), barrier);
    }
    return QuorumMerge.merge(all);
  }

  /** Any replica may answer; ask one, and others when it takes long. */
  private void awaitBarrier(Merged.Wait<Integer> wait, int waiting) {
    if (!isCurrent(waiting)) {
      return;
    }
    NodeId node = shuffled().get(0);
    simulation
        .network()
        .carry(
            client,
            node,
            () ->
                simulation
                    .node(node)
                    .ifPresent(n -> n.readAt(wait.barrier(), key, reply(node, wait, waiting))));
    simulation.scheduler().in(RETRY, () -> awaitBarrier(wait, waiting));
  }

  private Simulation.BarrierReply reply(NodeId node, Merged.Wait<Integer> wait, int waiting) {
    return (epoch, at, value) ->
        simulation
            .network()
            .carry(
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
    done.read(at, value);
  }
}
