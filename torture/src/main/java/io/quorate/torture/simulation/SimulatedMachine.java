package io.quorate.torture.simulation;

import io.quorate.model.Position;
import io.quorate.rabia.protocol.Batch;
import io.quorate.rabia.protocol.Body;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * The state machine: a value for each key, a session for each client, and a hash of all executed
 * slots.
 */
final class SimulatedMachine {
  private final Map<Integer, Integer> values;
  private final Map<Integer, Integer> sessions;
  private Position position;
  private long hash;

  SimulatedMachine() {
    this(new HashMap<>(), new HashMap<>(), Position.NONE, 0);
  }

  private SimulatedMachine(
      Map<Integer, Integer> values, Map<Integer, Integer> sessions, Position position, long hash) {
    this.values = values;
    this.sessions = sessions;
    this.position = position;
    this.hash = hash;
  }

  SimulatedMachine copy() {
    return new SimulatedMachine(new HashMap<>(values), new HashMap<>(sessions), position, hash);
  }

  /**
   * @param effective called with each command that takes effect; not with one that took effect
   *     before
   */
  void apply(Position at, Optional<Batch> batch, BiConsumer<SimulatedCommand, Position> effective) {
    Violation.require(
        at.index() == position.index() + 1,
        "C8",
        () -> "slot " + at + " executed after " + position);
    position = at;
    hash = hash * 31 + batch.map(b -> b.id().digest().low()).orElse(0L);
    if (batch.isPresent() && batch.get().body() instanceof Body.Commands commands) {
      for (ByteBuffer bytes : commands.commands()) {
        SimulatedCommand command = SimulatedCommand.decode(bytes);
        if (command.sequence() > sessions.getOrDefault(command.client(), 0)) {
          sessions.put(command.client(), command.sequence());
          values.put(command.key(), command.value());
          effective.accept(command, at);
        }
      }
    }
  }

  int value(int key) {
    return values.getOrDefault(key, 0);
  }

  boolean hasApplied(int client, int sequence) {
    return sessions.getOrDefault(client, 0) >= sequence;
  }

  Position position() {
    return position;
  }

  /** A hash of all executed slots in order. */
  long hash() {
    return hash;
  }
}
