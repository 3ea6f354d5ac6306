package io.quorate.benchmarks.paper.measurement;

import io.quorate.benchmarks.cluster.Deployment;
import io.quorate.benchmarks.kv.CallKind;
import io.quorate.benchmarks.kv.ClientPool;
import io.quorate.benchmarks.kv.KeyChoice;
import io.quorate.benchmarks.kv.KeySpace;
import io.quorate.benchmarks.kv.KeyValueCalls;
import io.quorate.benchmarks.kv.KvRun;
import io.quorate.benchmarks.kv.KvWorkload;
import io.quorate.benchmarks.kv.Mix;
import io.quorate.benchmarks.kv.Population;
import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.ClientLoad;
import io.quorate.benchmarks.paper.experiment.Clusters;
import io.quorate.benchmarks.paper.experiment.DataMedium;
import io.quorate.benchmarks.paper.experiment.Observation;
import io.quorate.benchmarks.paper.experiment.RunPlan;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.benchmarks.paper.result.Results;
import io.quorate.benchmarks.paper.testbed.BandwidthLimit;
import io.quorate.benchmarks.paper.testbed.Testbed;
import io.quorate.benchmarks.report.Machine;
import io.quorate.client.QuorateException;
import io.quorate.server.cli.terminal.ProgressLine;
import io.quorate.server.localcluster.ClusterException;
import io.quorate.torture.testbed.disk.MemoryDirectory;
import io.quorate.torture.testbed.network.WideArea;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Measures cases in rounds. A round measures all systems of a case whose clusters run directly
 * after each other, and each round begins with another system, so that other load on the machine
 * affects all of them equally.
 *
 * <p>Not thread-safe.
 */
public final class InterleavedRunner implements CaseRunner {
  private static final int BAR_WIDTH = 12;
  private static final int WARMUP_CLIENTS = 64;

  /** Key spaces from this number on are written by one measurement each. */
  private static final int FIRST_NEW_SPACE = 1 << 16;

  /** The kinds of calls that do not change the set of keys. */
  private static final List<CallKind> WARMUP_KINDS =
      List.of(CallKind.GET, CallKind.PUT, CallKind.SCAN);

  private final RunPlan plan;
  private final Path data;
  private final BandwidthLimit bandwidthLimit;
  private final ProgressLine progress;
  private final Map<PopulationKey, Population> populations = new HashMap<>();
  private Results results = new Results();
  private int round;
  private int measurements;
  private int measurementsDone;
  private int newSpaces;

  /** The properties that cases must have in common to be measured on the same clusters. */
  private record ClusterSetup(Clusters clusters, boolean isWideArea) {
    static ClusterSetup of(Case one) {
      return new ClusterSetup(one.clusters(), !one.oneWayDelay().isZero());
    }

    @Override
    public String toString() {
      String name = clusters.name().isEmpty() ? "" : ", " + clusters.name();
      return "N=" + clusters.replicas() + name;
    }
  }

  /**
   * Clusters that run at the same time, and what is measured on them.
   *
   * @param contenders the systems of these clusters
   * @param cases all cases of the setup; those without a system of these clusters are ignored
   */
  private record Group(ClusterSetup setup, List<SystemUnderTest> contenders, List<Case> cases) {
    /** The systems of a case that are measured in this group, in a new list. */
    List<SystemUnderTest> contendersOf(Case one) {
      List<SystemUnderTest> own = new ArrayList<>(one.contenders());
      own.retainAll(contenders);
      return own;
    }

    int measurements() {
      return cases.stream().mapToInt(each -> contendersOf(each).size()).sum();
    }

    @Override
    public String toString() {
      return switch (setup.clusters().schedule()) {
        case TOGETHER -> setup.toString();
        case ONE_AT_A_TIME ->
            setup
                + ", "
                + contenders.stream().map(SystemUnderTest::name).collect(Collectors.joining(", "));
      };
    }
  }

  /** Identifies a population: systems with the same deployment share a cluster and its keys. */
  private record PopulationKey(Deployment deployment, KeySpace keys) {}

  /**
   * @param data an existing directory, which contains the data of the clusters while they run
   * @param bandwidthLimit what limits the bandwidth in the cases that demand a limit
   */
  public InterleavedRunner(
      RunPlan plan, Path data, BandwidthLimit bandwidthLimit, ProgressLine progress) {
    this.plan = plan;
    this.data = data;
    this.bandwidthLimit = bandwidthLimit;
    this.progress = progress;
  }

  /**
   * Starts the required clusters, those of one group at a time, measures every case, and stops the
   * clusters. A group that fails keeps what it has measured, and the next one begins. Blocks.
   *
   * @throws IOException if the group that fails is the first: keys cannot be written, or a node
   *     does not report its metrics
   * @throws ClusterException likewise, if a cluster does not serve
   * @throws QuorateException likewise, if the cluster rejects a call other than those measured
   * @throws CompletionException likewise, with the same cause
   */
  @Override
  public void measure(List<Case> cases, Results into) throws IOException, InterruptedException {
    results = into;
    List<Group> groups = groups(cases);
    measurements = plan.rounds() * groups.stream().mapToInt(Group::measurements).sum();
    long started = System.nanoTime();
    int measurementsBefore = 0;
    for (Group group : groups) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      measurementsBefore += plan.rounds() * group.measurements();
      // Each group has its part of the time, so that some is left for the last one.
      double part = (double) measurementsBefore / measurements;
      long until = started + (long) (part * plan.durationMax().toNanos());
      try {
        measure(group, until);
      } catch (IOException
          | UncheckedIOException
          | ClusterException
          | QuorateException
          | CompletionException e) {
        if (results.cases().isEmpty()) {
          throw e;
        }
        results.addFailure(
            "NOT ALL MEASURED of " + group + ", because of a failure: " + e.getMessage());
      }
      measurementsDone = measurementsBefore;
    }
  }

  private static List<Group> groups(List<Case> cases) {
    Map<ClusterSetup, List<Case>> setups = new LinkedHashMap<>();
    cases.forEach(
        each ->
            setups.computeIfAbsent(ClusterSetup.of(each), absent -> new ArrayList<>()).add(each));
    List<Group> groups = new ArrayList<>();
    setups.forEach(
        (setup, own) -> {
          List<SystemUnderTest> contenders =
              own.stream().flatMap(each -> each.contenders().stream()).distinct().toList();
          switch (setup.clusters().schedule()) {
            case TOGETHER -> groups.add(new Group(setup, contenders, own));
            case ONE_AT_A_TIME ->
                contenders.stream()
                    .collect(
                        Collectors.groupingBy(
                            SystemUnderTest::deployment, LinkedHashMap::new, Collectors.toList()))
                    .values()
                    .forEach(each -> groups.add(new Group(setup, each, own)));
          }
        });
    return groups;
  }

  /**
   * @param untilNanos deadline by {@link System#nanoTime}, after which no round begins except the
   *     first
   */
  private void measure(Group group, long untilNanos) throws IOException, InterruptedException {
    ClusterSetup setup = group.setup();
    Optional<WideArea> wideArea =
        setup.isWideArea() ? Optional.of(new WideArea()) : Optional.empty();
    Consumer<SystemUnderTest> starting =
        contender -> progress.show(() -> bar() + " " + setup + ", starting " + contender);
    Path directory = directory(setup.clusters().medium());
    populations.clear();
    try (Testbed testbed =
        Testbed.open(
            group.contenders(), directory, setup.clusters(), wideArea, bandwidthLimit, starting)) {
      for (SystemUnderTest contender : group.contenders()) {
        try {
          prepare(testbed, contender, group.cases());
        } catch (IOException e) {
          throw new IOException("With " + setup + ", " + contender + ": " + e.getMessage(), e);
        }
      }
      for (round = 0;
          round == 0 || (round < plan.rounds() && System.nanoTime() - untilNanos < 0);
          round++) {
        for (Case each : group.cases()) {
          List<SystemUnderTest> order = group.contendersOf(each);
          Collections.rotate(order, -round);
          for (SystemUnderTest contender : order) {
            Map<Metric, Double> figures = measureOne(testbed, each, contender);
            // The figures of fewer nodes are those of another system.
            testbed.requireAlive(contender);
            results.add(each, contender, figures);
            measurementsDone++;
          }
        }
      }
    }
  }

  private Path directory(DataMedium medium) throws IOException {
    return switch (medium) {
      // Limited devices hold the data of the nodes, and this directory the rest.
      case DISK, LIMITED_DEVICES -> data;
      case MEMORY, DELAYED_SYNCS -> MemoryDirectory.get();
    };
  }

  /** Writes all keys of the cases, and warms up the JVMs of the nodes. */
  private void prepare(Testbed testbed, SystemUnderTest contender, List<Case> cases)
      throws IOException, InterruptedException {
    Map<Integer, ClientLoad> largest = new LinkedHashMap<>();
    for (Case each : cases) {
      if (each.observation() == Observation.BYTES) {
        continue;
      }
      largest.merge(
          each.load().keys().space(),
          each.load(),
          (one, other) -> one.keys().count() >= other.keys().count() ? one : other);
    }
    for (ClientLoad load : largest.values()) {
      run(contender, load.keys(), testbed.clients(contender).calls()).preload(load.valueBytes());
    }
    ClientLoad first = largest.values().iterator().next();
    KvWorkload warmup =
        new KvWorkload(
            "warming up " + contender,
            warmupMix(cases),
            KeyChoice.UNIFORM,
            WARMUP_CLIENTS,
            first.valueBytes());
    run(contender, first.keys(), testbed.clients(contender).calls())
        .warmUp(bar() + " ", warmup, plan.warmup());
  }

  private static Mix warmupMix(List<Case> cases) {
    List<CallKind> kinds =
        WARMUP_KINDS.stream()
            .filter(kind -> cases.stream().anyMatch(each -> each.load().mix().share(kind) > 0))
            .toList();
    List<CallKind> needed = kinds.isEmpty() ? List.of(CallKind.PUT) : kinds;
    return new Mix(
        needed.stream().collect(Collectors.toMap(kind -> kind, kind -> 1.0 / needed.size())));
  }

  private Map<Metric, Double> measureOne(Testbed testbed, Case measured, SystemUnderTest contender)
      throws IOException, InterruptedException {
    boolean changed = testbed.apply(measured.conditions(), contender);
    ClientPool clients =
        measured.conditions().stopsNodes()
            ? testbed.clientsDuringOutage(contender)
            : testbed.clients(contender);
    ClientLoad load = measured.load();
    if (changed) {
      run(contender, load.keys(), clients.calls())
          .warmUp(bar() + " warming up ", load.workload(), plan.warmup());
    }
    return switch (measured.observation()) {
      case BYTES -> {
        KeySpace keys = new KeySpace(FIRST_NEW_SPACE + newSpaces++, load.keys().count());
        KvRun writes = run(contender, keys, clients.calls());
        yield new ByteCosts(testbed.runningProcesses(contender), clients)
            .measure(keys.count(), () -> writes.preload(load.valueBytes(), load.clients()));
      }
      case READS_AT_NEW_LEADER -> {
        run(contender, load.keys(), clients.calls()).preload(load.valueBytes(), load.clients());
        yield new ReadsAtNewLeader(testbed.nodes(contender), clients).measure(load.keys());
      }
      case CALLS, BATCHES, INDEXES, APPLY, READS ->
          measureCalls(testbed, measured, contender, clients);
    };
  }

  private Map<Metric, Double> measureCalls(
      Testbed testbed, Case measured, SystemUnderTest contender, ClientPool clients)
      throws IOException, InterruptedException {
    LongAdder completed = new LongAdder();
    List<KeyValueCalls> calls =
        clients.calls().stream()
            .<KeyValueCalls>map(each -> new CountedCalls(each, completed))
            .toList();
    ClientLoad load = measured.load();
    KvRun run = run(contender, load.keys(), calls);
    List<Probe> probes = probes(testbed, measured, contender);
    try {
      String label = bar() + " " + ClusterSetup.of(measured) + ", " + contender + ", ";
      Map<Metric, Double> figures = figures(run, measured, label);
      for (Probe probe : probes) {
        figures.putAll(probe.end(completed.sum()));
      }
      ApplyProbe.addShare(figures);
      double loadAverage = Machine.now().load();
      if (loadAverage >= 0) {
        figures.put(Metric.LOAD_AVERAGE, loadAverage);
      }
      if (load.mix().share(CallKind.DELETE) > 0) {
        // Restores the deleted keys for the next measurement.
        run.preload(load.valueBytes());
      }
      return figures;
    } finally {
      probes.forEach(Probe::close);
    }
  }

  /** Runs the clients of a case. */
  private Map<Metric, Double> figures(KvRun run, Case measured, String label)
      throws IOException, InterruptedException {
    KvWorkload workload = measured.load().workload();
    long ramp = plan.ramp().toNanos();
    long slice = plan.slice().toNanos();
    if (measured.load().offered().isPresent()) {
      double rate = measured.load().offered().getAsDouble() * saturation(measured);
      return CallFigures.of(run.runOpen(label, workload, rate, round, ramp, slice));
    }
    return CallFigures.of(
        measured.conditions().stopsNodes()
            ? run.runExactly(label, workload, ramp, slice)
            : run.runSlice(label, workload, ramp, slice));
  }

  /**
   * The throughput to which the rate of an open loop relates: the median of the rounds so far.
   *
   * @throws IOException if it was not measured
   */
  private double saturation(Case open) throws IOException {
    SystemUnderTest first = open.contenders().get(0);
    return results.cases(open.experiment()).stream()
        .filter(each -> each.load().offered().isEmpty())
        .flatMap(each -> results.of(each, first, Metric.THROUGHPUT).stream())
        .findFirst()
        .orElseThrow(
            () -> new IOException("The saturation throughput of " + first + " was not measured."))
        .median();
  }

  private static List<Probe> probes(Testbed testbed, Case measured, SystemUnderTest contender)
      throws IOException, InterruptedException {
    List<Probe> probes =
        new ArrayList<>(
            switch (measured.observation()) {
              case CALLS, BYTES, READS_AT_NEW_LEADER -> List.of();
              case BATCHES -> List.of(BatchProbe.open(testbed.nodes(contender)));
              case INDEXES -> List.of(IndexProbe.open(testbed.clients(contender)));
              case APPLY ->
                  List.of(
                      ApplyProbe.open(testbed.nodes(contender), testbed.clients(contender)),
                      IndexProbe.open(testbed.clients(contender)),
                      MachineProbe.open());
              case READS ->
                  List.of(
                      ReadProbe.open(
                          testbed.runningProcesses(contender),
                          testbed.clients(contender),
                          measured.conditions().commonCorePercent()));
            });
    probes.add(CpuProbe.open(testbed.runningProcesses(contender)));
    return probes;
  }

  private KvRun run(SystemUnderTest contender, KeySpace keys, List<KeyValueCalls> calls) {
    Population population =
        populations.computeIfAbsent(
            new PopulationKey(contender.deployment(), keys), key -> new Population(keys));
    return new KvRun(calls, population, progress, System::nanoTime);
  }

  private String bar() {
    return ProgressLine.bar((double) measurementsDone / measurements, BAR_WIDTH);
  }
}
