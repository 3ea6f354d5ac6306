package io.quorate.rabia.simulation;

import io.quorate.consensus.Position;
import io.quorate.rabia.protocol.Batch;
import io.quorate.rabia.protocol.Body;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;

/** The state: a map, a session for each client, and a hash of everything that made it. */
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
   * @param effective told of each command that took effect now, not on an earlier arrival
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

  boolean hasSeen(int client, int sequence) {
    return sessions.getOrDefault(client, 0) >= sequence;
  }

  Position position() {
    return position;
  }

  /** Of everything executed so far, in order. */
  long hash() {
    return hash;
  }
}
