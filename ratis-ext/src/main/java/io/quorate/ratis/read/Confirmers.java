package io.quorate.ratis.read;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Decides which followers a round requests confirmations from: at first as many as a majority
 * needs, because each request costs both sides; the others when these do not confirm soon, or if
 * the members are changing. A follower that was late is requested last from then on. Pure; not
 * thread-safe.
 *
 * @param <N> the id of a node
 */
final class Confirmers<N> {
  private static final long PATIENCE_NANOS_MIN = TimeUnit.MILLISECONDS.toNanos(2);
  private static final long PATIENCE_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(10);

  /** A round is late after so many times the duration of recent ones. */
  private static final int LATE_FACTOR = 4;

  /** The weight of a new observation. */
  private static final double WEIGHT = 0.125;

  private final N self;
  private final Comparator<N> order;
  private final Set<N> late = new HashSet<>();
  private double durationNanos;

  /**
   * @param order of all nodes, which they share
   */
  Confirmers(N self, Comparator<N> order) {
    this.self = self;
    this.order = order;
  }

  /**
   * The followers to request confirmations from at first.
   *
   * @param voters all voters, this node included
   */
  List<N> first(Collection<N> voters) {
    List<N> followers = new ArrayList<>(voters);
    followers.remove(self);
    // After this node in the common order, and then from its beginning: so each node of several
    // that lead groups requests another one, and all of its groups the same.
    followers.sort(
        Comparator.<N, Boolean>comparing(late::contains)
            .thenComparing(node -> order.compare(node, self) < 0)
            .thenComparing(order));
    return followers.subList(0, Math.min(followers.size(), voters.size() / 2));
  }

  /** After how long without a majority the others are requested, in nanoseconds. */
  long patienceNanos() {
    return (long)
        Math.min(PATIENCE_NANOS_MAX, Math.max(PATIENCE_NANOS_MIN, LATE_FACTOR * durationNanos));
  }

  /** Records that a round ended. */
  void confirmed(long nanos) {
    durationNanos += WEIGHT * (Math.min(nanos, PATIENCE_NANOS_MAX) - durationNanos);
  }

  /** Records that a follower has not confirmed in time. */
  void late(N follower) {
    late.add(follower);
  }

  /** Records that a follower has confirmed in time. */
  void inTime(N follower) {
    late.remove(follower);
  }
}
