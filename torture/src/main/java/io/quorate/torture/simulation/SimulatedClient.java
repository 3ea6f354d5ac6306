package io.quorate.torture.simulation;

import io.quorate.model.NodeId;
import java.util.List;

/**
 * A client with one request in flight, which writes and quorum-reads a few keys. A write without a
 * response is retried at any replica with the same sequence number (D1); after the last attempt its
 * outcome remains unknown.
 */
final class SimulatedClient {
  private static final long RESPONSE_TIMEOUT = 8_000_000;
  private static final long READ_TIMEOUT = 60_000_000;
  private static final int ATTEMPTS_MAX = 5;

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

  /** Whether no operation is in flight and none is left. */
  boolean isIdle() {
    return idle;
  }

  /** Reads every key once, without a timeout. */
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
        read(key, READ_TIMEOUT);
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
    send(command, call, operation, ATTEMPTS_MAX);
  }

  private void send(SimulatedCommand command, int call, int of, int attemptsLeft) {
    if (of != operation) {
      return;
    }
    if (attemptsLeft == 0) {
      // The write may still take effect; a new session keeps it apart from the following writes.
      id++;
      sequence = 0;
      next();
      return;
    }
    List<NodeId> members = simulation.members();
    NodeId node = members.get(scheduler.between(0, members.size() - 1));
    simulation
        .network()
        .send(
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
                                        .send(node, this, () -> acknowledged(command, call, of)))));
    scheduler.in(RESPONSE_TIMEOUT, () -> send(command, call, of, attemptsLeft - 1));
  }

  private void acknowledged(SimulatedCommand command, int call, int of) {
    if (of == operation) {
      simulation.invariants().acknowledged(command);
      histories.get(command.key()).endWrite(call, scheduler.now());
      operation++;
      if (operationsLeft > 0 && scheduler.chance(0.4)) {
        operationsLeft--;
        read(command.key(), READ_TIMEOUT);
      } else {
        pause();
      }
    }
  }

  private void read(int key, long timeout) {
    int of = operation;
    long began = scheduler.now();
    long acknowledged = simulation.invariants().acknowledged(key);
    QuorumReader reader =
        new QuorumReader(
            simulation,
            this,
            key,
            (at, value) -> {
              Violation.require(
                  at.index() >= acknowledged,
                  "(14)",
                  () -> "a read of key " + key + " at " + at + " misses slot " + acknowledged);
              histories.get(key).read(value, began, scheduler.now());
              pause();
            });
    reader.start();
    if (timeout != Long.MAX_VALUE) {
      scheduler.in(
          timeout,
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
