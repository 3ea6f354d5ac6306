package io.quorate.replication.proposals;

import java.util.ArrayDeque;

/**
 * Lets takers take turns, each of which is worth the same number of bytes: deficit round robin, by
 * Shreedhar and Varghese, SIGCOMM 1995. Who needs more than a turn saves for it, so nobody gains by
 * few large commands. Pure; not thread-safe.
 */
final class Turns<T extends Turns.Taker> {
  private static final long TURN_COST = 32 << 10;

  private final ArrayDeque<T> takers = new ArrayDeque<>();

  /** Whoever takes turns, as long as he has something. */
  abstract static class Taker {
    long credit;

    /** What the next thing of this taker costs. It must have one. */
    abstract long nextCost();
  }

  int size() {
    return takers.size();
  }

  /** Adds a taker that has something, behind all others. */
  void join(T taker) {
    taker.credit = TURN_COST;
    takers.add(taker);
  }

  /** Whose turn it is. There must be a taker. */
  T next() {
    while (true) {
      T taker = takers.element();
      if (taker.credit >= taker.nextCost()) {
        return taker;
      }
      taker.credit += TURN_COST;
      if (takers.size() > 1) {
        takers.add(takers.remove());
      }
    }
  }

  /** Takes the cost of what was taken from the one whose turn it is. */
  void pay(long cost) {
    takers.element().credit -= cost;
  }

  /** Removes the one whose turn it is, which has nothing left. */
  void leave() {
    takers.remove();
  }
}
