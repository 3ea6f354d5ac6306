package io.quorate.quorum;

import io.quorate.model.NodeId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleSupplier;

/**
 * Orders replicas by their expected latency: by a moving average of measured latencies and of the
 * load that the replicas reported. Replicas of similar cost are shuffled at random. Old
 * measurements lose weight, so that a replica that was slow is tried again.
 *
 * <p>All times are in nanoseconds, from one clock of the caller such as {@link System#nanoTime}.
 * Thread-safe.
 */
public final class LatencyAwareSelector {
  /** The weight of one response in the moving averages. */
  private static final double RESPONSE_WEIGHT = 0.2;

  /** The maximum random increase of a cost, as a fraction of it. */
  private static final double JITTER = 0.5;

  /** The time after which the difference between a replica's cost and the lowest cost is halved. */
  private static final double HALF_LIFE_NANOS = Duration.ofMillis(500).toNanos();

  /** The time for which a replica is ordered last after a failed request. */
  private static final long SUSPICION_NANOS = Duration.ofSeconds(1).toNanos();

  private static final class Statistics {
    double latencyNanos;
    double load;
    long lastResponseNanos;
    boolean isSuspected;
    long suspectedUntilNanos;
  }

  private record Rank(NodeId node, boolean isSuspected, double cost) {}

  private final DoubleSupplier random;
  private final Map<NodeId, Statistics> statisticsByNode = new HashMap<>();

  /**
   * @param random supplies random numbers in [0, 1); called while this object's lock is held
   */
  public LatencyAwareSelector(DoubleSupplier random) {
    this.random = random;
  }

  /**
   * Records a response of a replica. The replica is no longer ordered last.
   *
   * @param latencyNanos the time from the request to the response
   * @param load the number of requests in flight that the replica reported
   */
  public synchronized void responded(NodeId node, long latencyNanos, int load, long nowNanos) {
    Statistics statistics = statisticsByNode.get(node);
    if (statistics == null) {
      statistics = new Statistics();
      statistics.latencyNanos = latencyNanos;
      statistics.load = load;
      statisticsByNode.put(node, statistics);
    }
    statistics.latencyNanos += RESPONSE_WEIGHT * (latencyNanos - statistics.latencyNanos);
    statistics.load += RESPONSE_WEIGHT * (load - statistics.load);
    statistics.lastResponseNanos = nowNanos;
    statistics.isSuspected = false;
  }

  /** Records that a request to a replica failed or timed out. */
  public synchronized void failed(NodeId node, long nowNanos) {
    Statistics statistics = statisticsByNode.computeIfAbsent(node, absent -> new Statistics());
    statistics.isSuspected = true;
    statistics.suspectedUntilNanos = nowNanos + SUSPICION_NANOS;
  }

  /** Whether a request to the replica failed within the last second and none succeeded since. */
  public synchronized boolean isDoubted(NodeId node, long nowNanos) {
    Statistics statistics = statisticsByNode.get(node);
    return statistics != null
        && statistics.isSuspected
        && statistics.suspectedUntilNanos - nowNanos > 0;
  }

  /** The candidates in ascending order of expected latency, with suspected replicas last. */
  public synchronized List<NodeId> order(Collection<NodeId> candidates, long nowNanos) {
    double meanLoad =
        candidates.stream().mapToDouble(node -> statistics(node).load).average().orElse(0);
    double lowest =
        candidates.stream().mapToDouble(node -> cost(statistics(node), meanLoad)).min().orElse(0);
    List<Rank> ranks = new ArrayList<>(candidates.size());
    for (NodeId node : candidates) {
      Statistics statistics = statistics(node);
      double excess = cost(statistics, meanLoad) - lowest;
      double decay =
          Math.pow(0.5, Math.max(0, nowNanos - statistics.lastResponseNanos) / HALF_LIFE_NANOS);
      double cost = (lowest + excess * decay) * (1 + JITTER * random.getAsDouble());
      ranks.add(new Rank(node, isDoubted(node, nowNanos), cost));
    }
    ranks.sort(Comparator.comparing(Rank::isSuspected).thenComparing(Rank::cost));
    return ranks.stream().map(Rank::node).toList();
  }

  private Statistics statistics(NodeId node) {
    return statisticsByNode.getOrDefault(node, new Statistics());
  }

  private static double cost(Statistics statistics, double meanLoad) {
    return statistics.latencyNanos * (1 + statistics.load / (1 + meanLoad));
  }
}
