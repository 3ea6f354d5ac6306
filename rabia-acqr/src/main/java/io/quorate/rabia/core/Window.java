package io.quorate.rabia.core;

import io.quorate.model.Position;
import io.quorate.rabia.core.members.ConfigurationHistory;
import io.quorate.rabia.core.members.LocalMembership;

/**
 * The slots in which replicas may send messages: the alpha slots after the executed one (T4). A
 * slot is present once it has been opened.
 */
final class Window {
  private final Slot[] ring;
  private final ConfigurationHistory configurations;
  private final Rules rules;
  private long executed;
  private long frontier;

  Window(int alpha, long executed, ConfigurationHistory configurations, Rules rules) {
    this.ring = new Slot[alpha];
    this.executed = executed;
    this.frontier = executed;
    this.configurations = configurations;
    this.rules = rules;
  }

  boolean accepts(long index) {
    return index > executed && index <= last();
  }

  /** The highest slot of the window. */
  long last() {
    return executed + ring.length;
  }

  /** The slot, or null. */
  Slot get(long index) {
    return accepts(index) ? ring[at(index)] : null;
  }

  /**
   * Returns the slot, and opens it if it is not open.
   *
   * @param index a slot that the window accepts
   * @param now the present time, in nanoseconds
   */
  Slot open(long index, long now) {
    Slot slot = get(index);
    if (slot == null) {
      LocalMembership membership = configurations.at(index);
      Position at = new Position(membership.configuration().epoch(), index);
      slot = new Slot(at, membership, rules, now);
      ring[at(index)] = slot;
    }
    return slot;
  }

  /** The highest slot known to be in use. Every slot up to it has to be decided. */
  long frontier() {
    return Math.max(frontier, executed);
  }

  /** Notes that the slot is in use. */
  void reach(long index) {
    frontier = Math.max(frontier, Math.min(index, last()));
  }

  /** Removes the slots up to {@code newlyExecuted}. */
  void advance(long newlyExecuted) {
    for (long index = executed + 1; index <= Math.min(newlyExecuted, last()); index++) {
      ring[at(index)] = null;
    }
    executed = newlyExecuted;
  }

  private int at(long index) {
    return (int) (index % ring.length);
  }
}
