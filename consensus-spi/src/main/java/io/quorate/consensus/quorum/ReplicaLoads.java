package io.quorate.consensus.quorum;

import io.quorate.consensus.NodeId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleSupplier;

/**
 * Which replicas to ask first, by how long they took to answer lately and how much they said they
 * had to do. Those that are about equal take turns by chance. What was seen long ago counts less,
 * so that one that was slow is tried again.
 *
 * <p>Time comes in as a number, in nanoseconds. Thread-safe.
 */
public final class ReplicaLoads {
  /** What part of the mean one answer makes up. */
  private static final double WEIGHT = 0.2;

  /** By how much replicas may differ and still take turns. */
  private static final double TURNS = 0.5;

  /** After this long, half of what sets a replica apart from the best is forgotten. */
  private static final double HALF_LIFE_NANOS = Duration.ofMillis(500).toNanos();

  /** For how long a replica comes last that did not answer. */
  private static final long DOUBT_NANOS = Duration.ofSeconds(1).toNanos();

  private static final class Seen {
    double latencyNanos;
    double load;
    long atNanos;
    boolean isDoubted;
    long doubtedUntilNanos;
  }

  private record Rank(NodeId node, boolean isDoubted, double cost) {}

  private final DoubleSupplier random;
  private final Map<NodeId, Seen> seen = new HashMap<>();

  /**
   * @param random gives numbers from 0 to 1
   */
  public ReplicaLoads(DoubleSupplier random) {
    this.random = random;
  }

  /**
   * A replica answered.
   *
   * @param load how many requests it said it had without an answer
   */
  public synchronized void answered(NodeId node, long latencyNanos, int load, long nowNanos) {
    Seen of = seen.get(node);
    if (of == null) {
      of = new Seen();
      of.latencyNanos = latencyNanos;
      of.load = load;
      seen.put(node, of);
    }
    of.latencyNanos += WEIGHT * (latencyNanos - of.latencyNanos);
    of.load += WEIGHT * (load - of.load);
    of.atNanos = nowNanos;
    of.isDoubted = false;
  }

  /** A replica did not answer, or not in time. */
  public synchronized void failed(NodeId node, long nowNanos) {
    Seen of = seen.computeIfAbsent(node, unseen -> new Seen());
    of.isDoubted = true;
    of.doubtedUntilNanos = nowNanos + DOUBT_NANOS;
  }

  /** Whether a replica failed a moment ago and has not answered since. */
  public synchronized boolean isDoubted(NodeId node, long nowNanos) {
    Seen of = seen.get(node);
    return of != null && of.isDoubted && of.doubtedUntilNanos - nowNanos > 0;
  }

  /** The candidates, the one that is likely to answer soonest first. */
  public synchronized List<NodeId> order(Collection<NodeId> candidates, long nowNanos) {
    double meanLoad = candidates.stream().mapToDouble(node -> of(node).load).average().orElse(0);
    double best = candidates.stream().mapToDouble(node -> cost(of(node), meanLoad)).min().orElse(0);
    List<Rank> ranks = new ArrayList<>(candidates.size());
    for (NodeId node : candidates) {
      Seen of = of(node);
      double apart = cost(of, meanLoad) - best;
      double remembered = Math.pow(0.5, Math.max(0, nowNanos - of.atNanos) / HALF_LIFE_NANOS);
      double cost = (best + apart * remembered) * (1 + TURNS * random.getAsDouble());
      ranks.add(new Rank(node, isDoubted(node, nowNanos), cost));
    }
    ranks.sort(Comparator.comparing(Rank::isDoubted).thenComparing(Rank::cost));
    return ranks.stream().map(Rank::node).toList();
  }

  private Seen of(NodeId node) {
    return seen.getOrDefault(node, new Seen());
  }

  private static double cost(Seen of, double meanLoad) {
    return of.latencyNanos * (1 + of.load / (1 + meanLoad));
  }
}
