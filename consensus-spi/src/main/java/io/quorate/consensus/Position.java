package io.quorate.consensus;

/**
 * Where a command stands in its group's order.
 *
 * <p>Positions of one group are ordered by {@code index} alone: two committed commands never share
 * one. The epoch is what an engine needs to find its place again after a restart, and is never
 * compared by anybody else.
 *
 * @param epoch the fencing number under which the position was agreed: a Raft term, a Rabia
 *     configuration epoch
 * @param index the place in the order: a Raft log index, a Rabia slot
 */
public record Position(long epoch, long index) implements Comparable<Position> {
  /** Before every command: what an empty state machine reports. */
  public static final Position NONE = new Position(0, -1);

  /** Whether a state at this position contains everything up to {@code other}. */
  public boolean covers(Position other) {
    return index >= other.index;
  }

  @Override
  public int compareTo(Position other) {
    return Long.compare(index, other.index);
  }

  @Override
  public String toString() {
    return epoch + ":" + index;
  }
}
