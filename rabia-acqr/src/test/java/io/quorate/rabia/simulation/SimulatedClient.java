package io.quorate.rabia.simulation;

import io.quorate.consensus.NodeId;
import java.util.List;

/**
 * A client with one request at a time: writes and quorum reads of a few keys. A write without an
 * answer is sent again, to any replica, under the same name (D1); after a while it is given up and
 * its outcome stays open.
 */
final class SimulatedClient {
  private static final long ANSWER_WITHIN = 8_000_000;
  private static final long READ_WITHIN = 60_000_000;
  private static final int TRIES = 5;

  private final Simulation simulation;
  private final Scheduler scheduler;
  private final int index;
  private final List<RegisterHistory> histories;
  private int id;
  private int sequence;
  private int operationsLeft;
  private int finalReadsLeft;
  private int operation;
  private boolean idle;

  SimulatedClient(
      Simulation simulation, int index, int operations, List<RegisterHistory> histories) {
    this.simulation = simulation;
    this.scheduler = simulation.scheduler();
    this.index = index;
    this.id = index * 1_000;
    this.operationsLeft = operations;
    this.histories = histories;
  }

  void start() {
    scheduler.in(scheduler.between(0L, 2_000_000L), this::next);
  }

  /** Nothing is left to do but the last reads. */
  boolean isIdle() {
    return idle;
  }

  /** Reads every key once, however long that takes. */
  void readAll() {
    idle = false;
    finalReadsLeft = histories.size();
    next();
  }

  private void next() {
    operation++;
    if (finalReadsLeft > 0) {
      finalReadsLeft--;
      read(finalReadsLeft, Long.MAX_VALUE);
    } else if (operationsLeft == 0) {
      idle = true;
    } else {
      operationsLeft--;
      int key = scheduler.between(0, histories.size() - 1);
      if (scheduler.chance(0.5)) {
        write(key);
      } else {
        read(key, READ_WITHIN);
      }
    }
  }

  private void pause() {
    scheduler.in(scheduler.between(0L, simulation.thinkTime()), this::next);
  }

  private void write(int key) {
    int value = scheduler.chance(0.1) ? 0 : simulation.freshValue();
    SimulatedCommand command = new SimulatedCommand(id, ++sequence, key, value);
    int call = histories.get(key).beginWrite(value, scheduler.now());
    send(command, call, operation, TRIES);
  }

  private void send(SimulatedCommand command, int call, int of, int triesLeft) {
    if (of != operation) {
      return;
    }
    if (triesLeft == 0) {
      // Whoever gives up must not be taken for having said what comes next.
      id++;
      sequence = 0;
      next();
      return;
    }
    List<NodeId> members = simulation.members();
    NodeId node = members.get(scheduler.between(0, members.size() - 1));
    simulation
        .network()
        .carry(
            this,
            node,
            () ->
                simulation
                    .node(node)
                    .ifPresent(
                        n ->
                            n.propose(
                                command,
                                () ->
                                    simulation
                                        .network()
                                        .carry(
                                            node, this, () -> acknowledged(command, call, of)))));
    scheduler.in(ANSWER_WITHIN, () -> send(command, call, of, triesLeft - 1));
  }

  private void acknowledged(SimulatedCommand command, int call, int of) {
    if (of == operation) {
      simulation.invariants().acknowledged(command);
      histories.get(command.key()).endWrite(call, scheduler.now());
      operation++;
      if (operationsLeft > 0 && scheduler.chance(0.4)) {
        operationsLeft--;
        read(command.key(), READ_WITHIN);
      } else {
        pause();
      }
    }
  }

  private void read(int key, long within) {
    int of = operation;
    long began = scheduler.now();
    long known = simulation.invariants().acknowledged(key);
    QuorumReader reader =
        new QuorumReader(
            simulation,
            this,
            key,
            (at, value) -> {
              Violation.require(
                  at.index() >= known,
                  "(14)",
                  () -> "a read of key " + key + " at " + at + " misses slot " + known);
              histories.get(key).read(value, began, scheduler.now());
              pause();
            });
    reader.start();
    if (within != Long.MAX_VALUE) {
      scheduler.in(
          within,
          () -> {
            if (of == operation) {
              reader.cancel();
              next();
            }
          });
    }
  }

  @Override
  public String toString() {
    return "client " + index;
  }
}
