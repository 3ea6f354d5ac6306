package io.quorate.benchmarks.paper.measurement;

import io.quorate.benchmarks.kv.ClientPool;
import io.quorate.benchmarks.metrics.Scrape;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.benchmarks.paper.testbed.Leader;
import io.quorate.model.NodeId;
import io.quorate.server.localcluster.NodeProcess;
import io.quorate.torture.testbed.process.CpuQuotas;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/** Compares the responses to reads and the CPU time of the nodes, also with their CPU quotas. */
final class ReadProbe implements Probe {
  private static final String RESPONSES = "quorate_requests_total";
  private static final Set<String> READS = Set.of("get", "read_reply");
  private static final double PERCENT = 100;

  private final List<NodeProcess> nodes;
  private final ClientPool clients;
  private final int corePercent;
  private final List<Work> before;

  /**
   * The work of a node so far.
   *
   * @param reads number of successful responses to get requests and to quorum read requests of
   *     clients
   * @param cpu CPU time; 0 if the system does not report it
   * @param nanos time of this reading by {@link System#nanoTime}
   */
  record Work(double reads, Duration cpu, long nanos) {
    private double cpuNanosSince(Work earlier) {
      return cpu.minus(earlier.cpu).toNanos();
    }
  }

  private ReadProbe(
      List<NodeProcess> nodes, ClientPool clients, int corePercent, List<Work> before) {
    this.nodes = nodes;
    this.clients = clients;
    this.corePercent = corePercent;
    this.before = before;
  }

  /**
   * Starts the measurement. Blocks.
   *
   * @param corePercent the CPU quota of every node in percent of a core; {@link
   *     CpuQuotas#UNLIMITED} if there is none or they differ
   * @throws IOException if a node does not report its metrics
   */
  static ReadProbe open(List<NodeProcess> nodes, ClientPool clients, int corePercent)
      throws IOException, InterruptedException {
    return new ReadProbe(nodes, clients, corePercent, work(nodes));
  }

  @Override
  public Map<Metric, Double> end(long commands) throws IOException, InterruptedException {
    List<Work> after = work(nodes);
    NodeId leader = Leader.await(clients);
    int index =
        IntStream.range(0, nodes.size())
            .filter(i -> nodes.get(i).plan().id().equals(leader))
            .findFirst()
            .orElseThrow(() -> new IOException("Node " + leader + " leads and is not known."));
    Map<Metric, Double> figures = figures(before, after, index);
    if (corePercent != CpuQuotas.UNLIMITED) {
      figures.putAll(quotas(before, after, index, corePercent));
    }
    return figures;
  }

  /**
   * Computes which part of its CPU quota each node has used. Without side effects.
   *
   * @param corePercent the quota of every node in percent of a core
   */
  static Map<Metric, Double> quotas(
      List<Work> before, List<Work> after, int leader, int corePercent) {
    List<Double> followers = new ArrayList<>();
    Map<Metric, Double> figures = new EnumMap<>(Metric.class);
    for (int i = 0; i < before.size(); i++) {
      double cores =
          after.get(i).cpuNanosSince(before.get(i))
              / (after.get(i).nanos() - before.get(i).nanos());
      double used = PERCENT * PERCENT * cores / corePercent;
      if (i == leader) {
        figures.put(Metric.QUOTA_AT_LEADER, used);
      } else {
        followers.add(used);
      }
    }
    if (!followers.isEmpty()) {
      figures.put(Metric.QUOTA_AT_BUSIEST, Collections.max(followers));
      figures.put(Metric.QUOTA_AT_IDLEST, Collections.min(followers));
    }
    return figures;
  }

  /** Computes the parts of the leader and of the busiest node. Without side effects. */
  static Map<Metric, Double> figures(List<Work> before, List<Work> after, int leader) {
    List<Double> reads = new ArrayList<>();
    List<Double> nanos = new ArrayList<>();
    for (int i = 0; i < before.size(); i++) {
      reads.add(after.get(i).reads() - before.get(i).reads());
      nanos.add(after.get(i).cpuNanosSince(before.get(i)));
    }
    double allReads = sum(reads);
    double allNanos = sum(nanos);
    Map<Metric, Double> figures = new EnumMap<>(Metric.class);
    if (allReads > 0) {
      figures.put(Metric.READS_AT_LEADER, PERCENT * reads.get(leader) / allReads);
      double max = reads.stream().mapToDouble(Double::doubleValue).max().orElseThrow();
      figures.put(Metric.READS_AT_BUSIEST, PERCENT * max / allReads);
    }
    if (allNanos > 0) {
      figures.put(Metric.CPU_AT_LEADER, PERCENT * nanos.get(leader) / allNanos);
    }
    return figures;
  }

  private static double sum(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).sum();
  }

  private static List<Work> work(List<NodeProcess> nodes) throws IOException, InterruptedException {
    List<Work> work = new ArrayList<>();
    for (NodeProcess node : nodes) {
      double reads =
          Scrape.of(List.of(node.plan()))
              .sum(
                  RESPONSES,
                  sample ->
                      READS.contains(sample.labels().get("request"))
                          && "ok".equals(sample.labels().get("status")));
      Duration cpu =
          node.handle().flatMap(handle -> handle.info().totalCpuDuration()).orElse(Duration.ZERO);
      work.add(new Work(reads, cpu, System.nanoTime()));
    }
    return work;
  }

  @Override
  public void close() {}
}
