package io.quorate.benchmarks.paper.measurement;

import io.quorate.benchmarks.metrics.LogSyncs;
import io.quorate.benchmarks.metrics.Sample;
import io.quorate.benchmarks.metrics.Scrape;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.server.topology.RegionAssignment;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;

/**
 * The costs of commands in a leaderless region, computed from the counters of the replicas before
 * and after. Without side effects.
 */
final class BatchCosts {
  private static final String BATCHES = "quorate_rabia_batches_total";
  private static final String MESSAGES = "quorate_rabia_messages_total";
  private static final String DECIDED = "quorate_rabia_slots_decided_total";
  private static final String FAST = "unanimous-proposals";

  /**
   * The reasons of decisions by a round of proposals, states or votes: these slots decide on a
   * batch, or resolve a doubt about it.
   */
  private static final Set<String> BY_ROUNDS = Set.of(FAST, "unanimous-states", "votes");

  private static final String METADATA = RegionAssignment.METADATA.toString();
  private static final double PERCENT = 100;

  private final Scrape before;
  private final Scrape after;

  BatchCosts(Scrape before, Scrape after) {
    this.before = before;
    this.after = after;
  }

  /**
   * @param replicas number of replicas, each of which executes every batch
   * @param commands number of commands that completed between the two scrapes
   * @return empty if no batch was counted, as under other engines
   */
  Map<Metric, Double> metrics(int replicas, long commands) {
    Map<Metric, Double> metrics = new EnumMap<>(Metric.class);
    double batches = increase(BATCHES) / replicas;
    if (batches <= 0 || commands == 0) {
      return metrics;
    }
    double syncs = increase(LogSyncs.NAME);
    double messages = increase(MESSAGES);
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

  private double increase(String name) {
    return after.sum(name, BatchCosts::isOfData) - before.sum(name, BatchCosts::isOfData);
  }

  private double decided(String reason) {
    return after.sum(
            DECIDED, sample -> isOfData(sample) && reason.equals(sample.labels().get("by")))
        - before.sum(
            DECIDED, sample -> isOfData(sample) && reason.equals(sample.labels().get("by")));
  }

  /**
   * Whether a sample is of a data region. The metadata region has batches of its own, which no
   * client requested.
   */
  private static boolean isOfData(Sample sample) {
    return !METADATA.equals(sample.labels().get("region"));
  }
}
