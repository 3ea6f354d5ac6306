package io.quorate.rabia.protocol;

import io.quorate.model.NodeId;
import io.quorate.model.Position;
import java.util.List;
import java.util.Map;

/**
 * The state of the core at one position, beside the state of the state machine. Part of every
 * snapshot (S1), and equal at all replicas.
 *
 * @param at the last executed slot
 * @param configurations the configurations that decide slots after {@code at}, oldest first; at
 *     least one
 * @param executed the executed batches of each origin
 */
public record Checkpoint(
    Position at,
    List<Configuration> configurations,
    Map<NodeId, List<ExecutedIncarnation>> executed) {
  public Checkpoint {
    configurations = List.copyOf(configurations);
    executed = Map.copyOf(executed);
  }

  /** The checkpoint before the first slot. */
  public static Checkpoint initial(Configuration first) {
    return new Checkpoint(Position.NONE, List.of(first), Map.of());
  }

  /**
   * The executed batches of one incarnation: all sequence numbers below {@code watermark}, and
   * those in {@code beyond}.
   */
  public record ExecutedIncarnation(long incarnation, long watermark, List<Long> beyond) {
    public ExecutedIncarnation {
      beyond = List.copyOf(beyond);
    }
  }
}
