package io.quorate.rabia.core;

/**
 * The slots in which replicas may send messages: the alpha slots after the executed one (T4). A
 * slot is present once it has been opened.
 */
final class Window {
  private final Slot[] ring;
  private long executed;

  Window(int alpha, long executed) {
    this.ring = new Slot[alpha];
    this.executed = executed;
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

  void put(Slot slot) {
    ring[at(slot.index())] = slot;
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
