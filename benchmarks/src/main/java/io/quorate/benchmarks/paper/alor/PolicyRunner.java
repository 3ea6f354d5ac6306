package io.quorate.benchmarks.paper.alor;

import io.quorate.benchmarks.kv.CallKind;
import io.quorate.benchmarks.kv.KeyChoice;
import io.quorate.benchmarks.kv.KvRun;
import io.quorate.benchmarks.kv.KvWorkload;
import io.quorate.benchmarks.kv.Load;
import io.quorate.benchmarks.kv.Mix;
import io.quorate.benchmarks.kv.Population;
import io.quorate.benchmarks.kv.WorkloadStats;
import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.RunPlan;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.benchmarks.paper.experiment.Ycsb;
import io.quorate.benchmarks.paper.measurement.CallFigures;
import io.quorate.benchmarks.paper.measurement.CaseRunner;
import io.quorate.benchmarks.paper.measurement.CpuProbe;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.benchmarks.paper.result.Results;
import io.quorate.client.QuorateException;
import io.quorate.server.cli.terminal.ProgressLine;
import io.quorate.server.localcluster.ClusterException;
import io.quorate.torture.testbed.disk.DelayedDevices;
import io.quorate.torture.testbed.disk.LimitedDevices;
import io.quorate.torture.testbed.disk.NodeDevices;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletionException;

/**
 * Measures policies of placement one after the other, each on a new cluster on the same devices,
 * which is loaded and then receives the other workloads. Every round begins with another policy.
 *
 * <p>Not thread-safe.
 */
final class PolicyRunner implements CaseRunner {
  private static final long DEVICE_BYTES = 400L << 20;

  /** The rows of all nodes together are this part of their capacity when everything is loaded. */
  private static final double FULL = 0.95;

  private static final int BAR_WIDTH = 12;

  private final RunPlan plan;
  private final int regions;
  private final Path data;
  private final ProgressLine progress;
  private Results results = new Results();
  private int measurements;
  private int measurementsDone;

  /**
   * @param regions number of regions of each cluster
   * @param data an existing directory, for all files but those on the devices
   */
  PolicyRunner(RunPlan plan, int regions, Path data, ProgressLine progress) {
    this.plan = plan;
    this.regions = regions;
    this.data = data;
    this.progress = progress;
  }

  /** Measures the cases of each mix of devices together; all have the same systems. */
  @Override
  public void measure(List<Case> cases, Results into) throws IOException, InterruptedException {
    results = into;
    Map<DeviceMix, List<Case>> byMix = new LinkedHashMap<>();
    for (Case each : cases) {
      byMix
          .computeIfAbsent(DeviceMix.parse(each.clusters().name()), absent -> new ArrayList<>())
          .add(each);
    }
    measurements = plan.rounds() * cases.stream().mapToInt(each -> each.contenders().size()).sum();
    long until = System.nanoTime() + plan.durationMax().toNanos();
    int nodesMax = byMix.keySet().stream().mapToInt(DeviceMix::nodes).max().orElse(0);
    if (nodesMax == 0) {
      return;
    }
    try (NodeDevices devices = devices(nodesMax)) {
      for (int round = 0; round < plan.rounds(); round++) {
        for (DeviceMix mix : List.copyOf(byMix.keySet())) {
          boolean isDue = round == 0 || System.nanoTime() - until < 0;
          if (isDue && !measure(mix, byMix.get(mix), round, devices)) {
            // A later round would be compared with an earlier one of the contenders before.
            byMix.remove(mix);
          }
        }
      }
    }
  }

  private NodeDevices devices(int count) throws IOException {
    return LimitedDevices.obstacle().isEmpty()
        ? LimitedDevices.create(count, DEVICE_BYTES)
        : new DelayedDevices(data);
  }

  /** Returns whether all contenders were measured. */
  private boolean measure(DeviceMix mix, List<Case> cases, int round, NodeDevices devices)
      throws IOException, InterruptedException {
    List<SystemUnderTest> order = new ArrayList<>(cases.get(0).contenders());
    Collections.rotate(order, -round);
    try {
      for (SystemUnderTest contender : order) {
        measure(mix, cases, contender, devices);
      }
      return true;
    } catch (IOException | ClusterException | QuorateException | CompletionException e) {
      if (results.cases().isEmpty()) {
        throw e;
      }
      results.addFailure(
          String.format(
              Locale.ROOT,
              "NOT ALL MEASURED of round %d with %s, because of a failure: %s",
              round + 1,
              cases.get(0).clusters().name(),
              e.getMessage()));
      return false;
    }
  }

  private void measure(
      DeviceMix mix, List<Case> cases, SystemUnderTest contender, NodeDevices devices)
      throws IOException, InterruptedException {
    String name = cases.get(0).clusters().name() + ", " + contender + ", ";
    progress.show(() -> bar() + " " + name + "starting");
    long capacity = capacityBytes(mix, cases.get(0));
    try (DeviceCluster cluster =
        DeviceCluster.start(mix, devices, contender.deployment(), regions, capacity, data)) {
      KvRun run =
          new KvRun(
              cluster.clients().calls(),
              new Population(cases.get(0).load().keys()),
              progress,
              System::nanoTime);
      cluster.awaitSettled();
      if (cases.get(0).conditions().slowsDevices()) {
        run.preload(cases.get(0).load().valueBytes());
      }
      run.warmUp(bar() + " ", warmup(cases.get(0)), plan.warmup());
      for (Case each : cases) {
        Map<Metric, Double> figures = measure(each, contender, cluster, run, bar() + " " + name);
        cluster.requireAlive();
        results.add(each, contender, figures);
        measurementsDone++;
      }
    }
  }

  private Map<Metric, Double> measure(
      Case measured, SystemUnderTest contender, DeviceCluster cluster, KvRun run, String label)
      throws IOException, InterruptedException {
    if (measured.conditions().slowsDevices()) {
      cluster.awaitSettled();
      return new EvacuationRun(cluster, run)
          .measure(measured.load().workload(), measured.conditions().slowDevices());
    }
    Map<Metric, Double> figures = new HashMap<>();
    try (CpuProbe cpu = CpuProbe.open(cluster.nodes())) {
      WorkloadStats stats;
      if (measured.load().what().equals(Ycsb.LOAD.toString())) {
        Load load = run.load(label, measured.load().valueBytes(), measured.load().clients());
        results.addSeries(measured, contender, load.throughputBySecond());
        stats = load.stats();
      } else {
        stats =
            run.runSlice(
                label, measured.load().workload(), plan.ramp().toNanos(), plan.slice().toNanos());
      }
      figures.putAll(cpu.end(stats.all().count()));
      figures.putAll(CallFigures.of(stats));
    }
    figures.putAll(cluster.placement());
    return figures;
  }

  /** Gets of keys that do not exist yet: they warm up the nodes and leave the devices empty. */
  private static KvWorkload warmup(Case of) {
    return new KvWorkload(
        "warming up",
        Mix.of(CallKind.GET),
        KeyChoice.UNIFORM,
        of.load().clients(),
        of.load().valueBytes());
  }

  /** The capacity of each node at which all rows fill the cluster. */
  private static long capacityBytes(DeviceMix mix, Case load) {
    double rows = (double) load.load().keys().count() * AlorEvaluation.REPLICAS;
    return Math.round(rows * AlorEvaluation.ROW_BYTES / mix.nodes() / FULL);
  }

  private String bar() {
    return ProgressLine.bar((double) measurementsDone / measurements, BAR_WIDTH);
  }
}
