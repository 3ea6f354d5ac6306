package io.quorate.benchmarks.peers.run;

import io.quorate.benchmarks.cluster.Deployment;
import io.quorate.benchmarks.kv.CallKind;
import io.quorate.benchmarks.kv.KeyChoice;
import io.quorate.benchmarks.kv.KeySpace;
import io.quorate.benchmarks.kv.KeyValueCalls;
import io.quorate.benchmarks.kv.KvRun;
import io.quorate.benchmarks.kv.KvWorkload;
import io.quorate.benchmarks.kv.Mix;
import io.quorate.benchmarks.kv.Population;
import io.quorate.benchmarks.kv.WorkloadStats;
import io.quorate.benchmarks.limits.Limit;
import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.ClientLoad;
import io.quorate.benchmarks.paper.experiment.RunPlan;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.benchmarks.paper.measurement.CallFigures;
import io.quorate.benchmarks.paper.measurement.CountedCalls;
import io.quorate.benchmarks.paper.measurement.CpuProbe;
import io.quorate.benchmarks.paper.measurement.Probe;
import io.quorate.benchmarks.paper.measurement.SwitchProbe;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.benchmarks.paper.result.Results;
import io.quorate.benchmarks.peers.contender.Contender;
import io.quorate.benchmarks.peers.contender.Programs;
import io.quorate.benchmarks.peers.contender.RunningContender;
import io.quorate.benchmarks.peers.contender.UnavailableException;
import io.quorate.benchmarks.report.Machine;
import io.quorate.client.QuorateException;
import io.quorate.server.cli.terminal.ProgressLine;
import io.quorate.server.localcluster.ClusterException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Measures contenders in rounds. All run at the same time, and those that are not measured are
 * idle. A round measures them directly after each other under each load, and each round begins with
 * another one, so that other work on the machine affects all of them equally.
 *
 * <p>Not thread-safe.
 */
public final class SideBySideRun implements AutoCloseable {
  private static final int BAR_WIDTH = 12;
  private static final double WARMUP_GET_RATIO = 0.5;

  private final RunPlan plan;
  private final Duration limitTime;
  private final Function<List<SystemUnderTest>, List<Case>> loads;
  private final int warmupClients;
  private final Path data;
  private final Programs programs;
  private final ProgressLine progress;
  private final Map<SystemUnderTest, RunningContender> running = new LinkedHashMap<>();
  private final Map<String, String> missing = new LinkedHashMap<>();
  private final Results results = new Results();
  private final LatencyDistributions distributions = new LatencyDistributions();
  private int slices;
  private int slicesDone;
  private boolean isInterrupted;

  /**
   * @param limitTime how long each operation that is a limit of the machine is measured in a round
   * @param loads returns the loads for the contenders that serve, which need not have all loads
   * @param warmupClients number of clients of the warm-up, which has the keys of the first load
   * @param data an existing directory, which contains the data of the contenders while they run
   */
  public SideBySideRun(
      RunPlan plan,
      Duration limitTime,
      Function<List<SystemUnderTest>, List<Case>> loads,
      int warmupClients,
      Path data,
      Programs programs,
      ProgressLine progress) {
    this.plan = plan;
    this.limitTime = limitTime;
    this.loads = loads;
    this.warmupClients = warmupClients;
    this.data = data;
    this.programs = programs;
    this.progress = progress;
  }

  /**
   * Builds and starts the contenders, and measures those that serve. One that fails later keeps
   * what was measured of it, and an interrupt keeps what was measured before. Blocks.
   *
   * @throws IOException if none of them serves
   * @throws InterruptedException if nothing was measured before the interrupt
   */
  public Measured measure(List<? extends Contender> contenders)
      throws IOException, InterruptedException {
    List<Contender> available = prepare(contenders);
    for (Contender contender : available) {
      start(contender);
    }
    if (running.isEmpty()) {
      throw new IOException(
          missing.entrySet().stream()
              .map(each -> each.getKey() + ": " + each.getValue())
              .collect(Collectors.joining(" ", "No contender could be measured. ", "")));
    }
    List<SystemUnderTest> systems = List.copyOf(running.keySet());
    List<Case> cases = loads.apply(systems);
    for (SystemUnderTest system : systems) {
      guarded(system, "before the first round", () -> warmUp(system, cases));
    }
    slices = plan.rounds() * cases.stream().mapToInt(each -> each.contenders().size()).sum();
    try (RoundLimits limits = new RoundLimits(data, limitTime, results::addFailure)) {
      progress.show(() -> "warming up the limits of the machine");
      limits.warmUp();
      measureRounds(cases, limits);
      return new Measured(
          systems, cases, results, distributions, limits.rounds(), missing, isInterrupted);
    }
  }

  private void measureRounds(List<Case> cases, RoundLimits limits) throws InterruptedException {
    long until = System.nanoTime() + plan.durationMax().toNanos();
    try {
      for (int round = 0;
          round == 0 || (round < plan.rounds() && System.nanoTime() - until < 0);
          round++) {
        measureRound(round, cases, measureLimits(limits));
      }
      measureLimits(limits);
    } catch (InterruptedException e) {
      if (results.cases().isEmpty()) {
        throw e;
      }
      isInterrupted = true;
      results.addFailure("NOT ALL MEASURED, because the run was interrupted.");
    }
  }

  private Map<Limit, Double> measureLimits(RoundLimits limits) {
    progress.show(() -> bar() + " the limits of the machine");
    return limits.measure();
  }

  private List<Contender> prepare(List<? extends Contender> contenders)
      throws InterruptedException {
    List<Contender> available = new ArrayList<>();
    for (Contender contender : contenders) {
      try {
        contender.prepare(programs);
        available.add(contender);
      } catch (UnavailableException e) {
        missing.put(contender.name(), e.getMessage());
      }
    }
    return available;
  }

  private void start(Contender contender) throws InterruptedException {
    progress.show(() -> "starting " + contender.name());
    SystemUnderTest system =
        new SystemUnderTest(contender.name(), new Deployment(contender.name()));
    try {
      running.put(system, contender.start(data));
    } catch (IOException | ClusterException | QuorateException e) {
      results.addFailure(contender.name() + " does not serve: " + e.getMessage());
      missing.put(contender.name(), "It does not serve here: " + e.getMessage());
    }
  }

  /** Writes the keys of all loads of a contender, and puts and gets those of the first load. */
  private void warmUp(SystemUnderTest system, List<Case> cases)
      throws IOException, InterruptedException {
    List<ClientLoad> own =
        cases.stream().filter(each -> each.contenders().contains(system)).map(Case::load).toList();
    Map<KeySpace, Integer> valueBytes = new LinkedHashMap<>();
    own.forEach(each -> valueBytes.put(each.keys(), each.valueBytes()));
    List<KeyValueCalls> calls = running.get(system).calls();
    for (Map.Entry<KeySpace, Integer> space : valueBytes.entrySet()) {
      run(space.getKey(), calls).preload(space.getValue());
    }
    KvWorkload workload =
        new KvWorkload(
            system.name(),
            Mix.of(CallKind.GET, WARMUP_GET_RATIO, CallKind.PUT),
            KeyChoice.UNIFORM,
            warmupClients,
            own.get(0).valueBytes());
    run(own.get(0).keys(), calls).warmUp("warming up ", workload, plan.warmup());
    running.get(system).requireAlive();
  }

  /**
   * @param limits of the machine, as measured at the beginning of the round
   */
  private void measureRound(int round, List<Case> cases, Map<Limit, Double> limits)
      throws InterruptedException {
    LimitFractions fractions = new LimitFractions(limits, Machine.now().cores());
    for (Case each : cases) {
      List<SystemUnderTest> order = new ArrayList<>(each.contenders());
      Collections.rotate(order, -round);
      for (SystemUnderTest system : order) {
        if (Thread.interrupted()) {
          throw new InterruptedException("The measurement is interrupted.");
        }
        if (running.containsKey(system)) {
          guarded(system, "under " + each.load().name(), () -> measureOne(each, system, fractions));
        }
        slicesDone++;
      }
    }
  }

  private void measureOne(Case measured, SystemUnderTest system, LimitFractions fractions)
      throws IOException, InterruptedException {
    RunningContender contender = running.get(system);
    LongAdder completed = new LongAdder();
    List<KeyValueCalls> calls =
        contender.calls().stream()
            .<KeyValueCalls>map(each -> new CountedCalls(each, completed))
            .toList();
    ClientLoad load = measured.load();
    WorkloadStats stats;
    Map<Metric, Double> figures;
    // What is opened last is ended first: reading other counters takes no part in the CPU time.
    List<Probe> own = contender.probes();
    try (Probe switches = SwitchProbe.ofProcesses(contender.processes());
        Probe cpu = CpuProbe.ofProcesses(contender.processes())) {
      stats =
          run(load.keys(), calls)
              .runSlice(
                  bar() + " " + system + ", ",
                  load.workload(),
                  plan.ramp().toNanos(),
                  plan.slice().toNanos());
      figures = CallFigures.of(stats);
      figures.putAll(cpu.end(completed.sum()));
      figures.putAll(switches.end(completed.sum()));
      for (Probe each : own) {
        figures.putAll(each.end(completed.sum()));
      }
    } finally {
      own.forEach(Probe::close);
    }
    // The figures of fewer nodes are those of another system.
    contender.requireAlive();
    requireCalls(stats);
    figures.putAll(fractions.of(load, figures, contender.processes().size()));
    results.add(measured, system, figures);
    distributions.add(measured, system, stats.all());
  }

  /** A contender whose calls all fail has no figures. */
  private static void requireCalls(WorkloadStats stats) throws IOException {
    Optional<Throwable> failure = stats.firstError();
    if (stats.all().count() == 0 && failure.isPresent()) {
      throw new IOException("No call succeeded; the first failure: " + failure.get());
    }
  }

  private String bar() {
    return ProgressLine.bar((double) slicesDone / slices, BAR_WIDTH);
  }

  private KvRun run(KeySpace keys, List<KeyValueCalls> calls) {
    return new KvRun(calls, new Population(keys), progress, System::nanoTime);
  }

  /** A part of the measurement of one contender. */
  @FunctionalInterface
  private interface Part {
    void run() throws IOException, InterruptedException;
  }

  /** Executes a part; a contender that fails is stopped, and the others are measured further. */
  private void guarded(SystemUnderTest system, String when, Part part) throws InterruptedException {
    try {
      part.run();
    } catch (IOException e) {
      results.addFailure(
          "NOT ALL MEASURED of " + system + ", which failed " + when + ": " + e.getMessage());
      running.remove(system).close();
    }
  }

  /** Stops all contenders. Blocks until they have ended. */
  @Override
  public void close() {
    running.values().forEach(RunningContender::close);
    running.clear();
  }
}
