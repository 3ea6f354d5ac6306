package io.quorate.rabia.protocol;

import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import java.util.List;
import java.util.Map;

/**
 * What the core knows as of one position, beyond the state machine's state: part of every snapshot
 * (S1), equal at all replicas.
 *
 * @param at the last executed slot
 * @param configurations those that decide slots after {@code at}, oldest first; at least one
 * @param executed for each origin which of its batches have been executed
 */
public record Checkpoint(
    Position at,
    List<Configuration> configurations,
    Map<NodeId, List<ExecutedIncarnation>> executed) {
  public Checkpoint {
    configurations = List.copyOf(configurations);
    executed = Map.copyOf(executed);
  }

  /** Before the first slot. */
  public static Checkpoint initial(Configuration first) {
    return new Checkpoint(Position.NONE, List.of(first), Map.of());
  }

  /**
   * The batches of one incarnation that have been executed: all below {@code watermark}, and those
   * in {@code beyond}.
   */
  public record ExecutedIncarnation(long incarnation, long watermark, List<Long> beyond) {
    public ExecutedIncarnation {
      beyond = List.copyOf(beyond);
    }
  }
}
