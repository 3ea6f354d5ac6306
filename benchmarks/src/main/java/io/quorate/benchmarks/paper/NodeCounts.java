package io.quorate.benchmarks.paper;

import io.quorate.benchmarks.metrics.Sample;
import io.quorate.benchmarks.metrics.Scrape;
import io.quorate.server.region.RegionDescriptor;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;

/**
 * What the replicas of a leaderless region did for some commands, from what they counted before and
 * after. Pure.
 */
final class NodeCounts {
  private static final String BATCHES = "quorate_rabia_batches_total";
  private static final String MESSAGES = "quorate_rabia_messages_total";
  private static final String SYNCS = "quorate_rabia_log_syncs_total";
  private static final String DECIDED = "quorate_rabia_slots_decided_total";
  private static final String FAST = "unanimous-proposals";

  /**
   * Decided by a round of proposals, states or votes, and so for a batch or by a doubt about it.
   */
  private static final Set<String> BY_ROUNDS = Set.of(FAST, "unanimous-states", "votes");

  private static final String METADATA = RegionDescriptor.METADATA.toString();
  private static final double PERCENT = 100;

  private final Scrape before;
  private final Scrape after;

  NodeCounts(Scrape before, Scrape after) {
    this.before = before;
    this.after = after;
  }

  /**
   * @param replicas each of which executes every batch
   * @param commands answered between the two
   * @return nothing where no batch was counted, as under other engines
   */
  Map<Metric, Double> metrics(int replicas, long commands) {
    Map<Metric, Double> metrics = new EnumMap<>(Metric.class);
    double batches = more(BATCHES) / replicas;
    if (batches <= 0 || commands == 0) {
      return metrics;
    }
    double syncs = more(SYNCS);
    double messages = more(MESSAGES);
    metrics.put(Metric.COMMANDS_PER_BATCH, commands / batches);
    metrics.put(Metric.MESSAGES_PER_BATCH, messages / batches);
    metrics.put(Metric.MESSAGES_PER_COMMAND, messages / commands);
    metrics.put(Metric.SYNCS_PER_BATCH, syncs / batches / replicas);
    metrics.put(Metric.SYNCS_PER_COMMAND, syncs / commands);
    double rounds = BY_ROUNDS.stream().mapToDouble(this::decided).sum();
    if (rounds > 0) {
      metrics.put(Metric.FAST_PATH, PERCENT * decided(FAST) / rounds);
    }
    return metrics;
  }

  private double more(String name) {
    return after.sum(name, NodeCounts::isOfData) - before.sum(name, NodeCounts::isOfData);
  }

  private double decided(String how) {
    return after.sum(DECIDED, sample -> isOfData(sample) && how.equals(sample.labels().get("by")))
        - before.sum(DECIDED, sample -> isOfData(sample) && how.equals(sample.labels().get("by")));
  }

  /** The region that describes the cluster has batches of its own, which no client asked for. */
  private static boolean isOfData(Sample sample) {
    return !METADATA.equals(sample.labels().get("region"));
  }
}
