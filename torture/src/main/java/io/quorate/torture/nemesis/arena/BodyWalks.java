package io.quorate.torture.nemesis.arena;

import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The walks of a node over its bodies, according to its metrics. Used by one thread. */
final class BodyWalks {
  private static final String METRIC = "quorate_storage_bodies_walks_total";
  private static final long POLL_PAUSE_MILLIS = 200;

  /** The first of two walks may have begun before the damage. */
  private static final int CLEAN_WALKS = 2;

  private final NodeMetrics metrics;

  BodyWalks(NodeMetrics metrics) {
    this.metrics = metrics;
  }

  /**
   * Blocks until a walk of each kind has begun after this call and found or made all bodies intact.
   *
   * @param endNanos when to give up
   * @return whether they have
   */
  boolean awaitClean(long endNanos) throws InterruptedException {
    Map<String, Double> before = Map.of();
    while (System.nanoTime() < endNanos) {
      Map<String, Double> now = metrics.values(METRIC);
      if (before.isEmpty()) {
        before = now;
      }
      Map<String, Double> first = before;
      if (!first.isEmpty()
          && now.keySet().equals(first.keySet())
          && now.entrySet().stream()
              .allMatch(walk -> walk.getValue() >= first.get(walk.getKey()) + CLEAN_WALKS)) {
        return true;
      }
      TimeUnit.MILLISECONDS.sleep(POLL_PAUSE_MILLIS);
    }
    return false;
  }
}
