package io.quorate.benchmarks.paper;

import io.quorate.benchmarks.cluster.Deployment;
import io.quorate.benchmarks.cluster.MemoryDirectory;
import io.quorate.benchmarks.cluster.WideArea;
import io.quorate.benchmarks.kv.CallKind;
import io.quorate.benchmarks.kv.Connections;
import io.quorate.benchmarks.kv.KeyChoice;
import io.quorate.benchmarks.kv.KeySpace;
import io.quorate.benchmarks.kv.KeyValueCalls;
import io.quorate.benchmarks.kv.KvRun;
import io.quorate.benchmarks.kv.Latencies;
import io.quorate.benchmarks.kv.Mix;
import io.quorate.benchmarks.kv.Population;
import io.quorate.benchmarks.kv.Tally;
import io.quorate.benchmarks.kv.Workload;
import io.quorate.client.cli.ProgressLine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Measures cases in rounds, and in each round all contenders one directly after the other, another
 * one first every time: what else the machine does then meets all of them alike.
 *
 * <p>For use by one thread.
 */
public final class Turns {
  private static final double P50 = 50;
  private static final double P99 = 99;
  private static final int BAR_WIDTH = 12;
  private static final int WARMUP_CLIENTS = 64;

  /** Those that leave the keys as they are. */
  private static final List<CallKind> WARMUP_KINDS =
      List.of(CallKind.GET, CallKind.PUT, CallKind.SCAN);

  private final Pace pace;
  private final Path data;
  private final ProgressLine progress;
  private final Results results = new Results();
  private final Map<Table, Population> populations = new HashMap<>();
  private int turns;
  private int turnsDone;

  /** What cases must have in common to be measured on the same clusters. */
  private record Ground(Clusters clusters, boolean isWideArea) {
    static Ground of(Case one) {
      return new Ground(one.clusters(), !one.oneWayDelay().isZero());
    }

    @Override
    public String toString() {
      String name = clusters.name().isEmpty() ? "" : ", " + clusters.name();
      return "N=" + clusters.replicas() + name;
    }
  }

  /** Contenders of one deployment share a cluster, and so its keys. */
  private record Table(Deployment deployment, KeySpace keys) {}

  /**
   * @param data an existing directory, in which clusters have their data while they run
   */
  public Turns(Pace pace, Path data, ProgressLine progress) {
    this.pace = pace;
    this.data = data;
    this.progress = progress;
  }

  /**
   * Starts the clusters that are needed, those of one kind at a time, measures every case, and
   * stops them. Blocks.
   *
   * @throws io.quorate.server.dev.ClusterException if a cluster does not serve
   * @throws IOException if keys cannot be written, or a node does not tell its metrics
   */
  public Results measure(List<Case> cases) throws IOException, InterruptedException {
    Map<Ground, List<Case>> grounds = new LinkedHashMap<>();
    cases.forEach(
        each -> grounds.computeIfAbsent(Ground.of(each), absent -> new ArrayList<>()).add(each));
    turns = pace.rounds() * turnsOf(cases);
    long started = System.nanoTime();
    int turnsBefore = 0;
    for (Map.Entry<Ground, List<Case>> ground : grounds.entrySet()) {
      turnsBefore += pace.rounds() * turnsOf(ground.getValue());
      // Each ground has its share of the time, so that there is some left for the last one.
      double share = (double) turnsBefore / turns;
      long until = started + (long) (share * pace.most().toNanos());
      measure(ground.getKey(), ground.getValue(), until);
      turnsDone = turnsBefore;
    }
    return results;
  }

  private static int turnsOf(List<Case> cases) {
    return cases.stream().mapToInt(each -> each.contenders().size()).sum();
  }

  /**
   * @param untilNanos by {@link System#nanoTime}; after it no further round begins but the first
   */
  private void measure(Ground ground, List<Case> cases, long untilNanos)
      throws IOException, InterruptedException {
    List<Contender> contenders =
        cases.stream().flatMap(each -> each.contenders().stream()).distinct().toList();
    Optional<WideArea> wideArea =
        ground.isWideArea() ? Optional.of(new WideArea()) : Optional.empty();
    Consumer<Contender> starting =
        contender -> progress.show(() -> bar() + " " + ground + ", starting " + contender);
    Path directory = directory(ground.clusters().medium());
    int replicas = ground.clusters().replicas();
    populations.clear();
    try (Stage stage = Stage.open(contenders, directory, replicas, wideArea, starting)) {
      for (Contender contender : contenders) {
        try {
          prepare(stage, contender, cases);
        } catch (IOException e) {
          throw new IOException("With " + ground + ", " + contender + ": " + e.getMessage(), e);
        }
      }
      for (int round = 0;
          round == 0 || (round < pace.rounds() && System.nanoTime() - untilNanos < 0);
          round++) {
        for (Case each : cases) {
          List<Contender> inTurn = new ArrayList<>(each.contenders());
          Collections.rotate(inTurn, -round);
          for (Contender contender : inTurn) {
            results.add(each, contender, turn(stage, each, contender));
            turnsDone++;
          }
        }
      }
    }
  }

  private Path directory(Medium medium) throws IOException {
    return medium == Medium.DISK ? data : MemoryDirectory.get();
  }

  /** Writes all keys there will be, and lets the nodes' JVMs compile what they need. */
  private void prepare(Stage stage, Contender contender, List<Case> cases)
      throws IOException, InterruptedException {
    Map<Integer, Load> largest = new LinkedHashMap<>();
    for (Case each : cases) {
      largest.merge(
          each.load().keys().space(),
          each.load(),
          (one, other) -> one.keys().count() >= other.keys().count() ? one : other);
    }
    for (Load load : largest.values()) {
      run(contender, load.keys(), stage.connections(contender).calls()).preload(load.valueBytes());
    }
    Load first = largest.values().iterator().next();
    Workload warmup =
        new Workload(
            "warming up " + contender,
            warmupMix(cases),
            KeyChoice.UNIFORM,
            WARMUP_CLIENTS,
            first.valueBytes());
    run(contender, first.keys(), stage.connections(contender).calls())
        .turn(bar() + " ", warmup, 0, pace.warmup().toNanos());
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

  private Map<Metric, Double> turn(Stage stage, Case measured, Contender contender)
      throws IOException, InterruptedException {
    stage.arrange(measured.conditions(), contender);
    LongAdder answers = new LongAdder();
    Connections connections = stage.connections(contender);
    List<KeyValueCalls> calls =
        connections.calls().stream()
            .<KeyValueCalls>map(each -> new CountedCalls(each, answers))
            .toList();
    Load load = measured.load();
    KvRun run = run(contender, load.keys(), calls);
    List<Watch> watches = watches(stage, measured, contender);
    try {
      Tally tally =
          run.turn(
              bar() + " " + Ground.of(measured) + ", " + contender + ", ",
              load.workload(),
              pace.ramp().toNanos(),
              pace.slice().toNanos());
      Map<Metric, Double> seen = seen(tally);
      for (Watch watch : watches) {
        seen.putAll(watch.end(answers.sum()));
      }
      if (load.mix().share(CallKind.DELETE) > 0) {
        // Whoever is next finds every key again.
        run.preload(load.valueBytes());
      }
      return seen;
    } finally {
      watches.forEach(Watch::close);
    }
  }

  private static List<Watch> watches(Stage stage, Case measured, Contender contender)
      throws IOException, InterruptedException {
    List<Watch> watches = new ArrayList<>();
    switch (measured.observation()) {
      case NOTHING -> {}
      case BATCHES -> watches.add(BatchWatch.open(stage.nodes(contender)));
      case INDEXES -> watches.add(IndexWatch.open(stage.connections(contender)));
      case READS ->
          watches.add(ReadWatch.open(stage.processes(contender), stage.connections(contender)));
    }
    watches.add(CpuWatch.open(stage.processes(contender)));
    return watches;
  }

  private static Map<Metric, Double> seen(Tally tally) {
    Map<Metric, Double> seen = new EnumMap<>(Metric.class);
    seen.put(Metric.THROUGHPUT, tally.throughput());
    seen.put(Metric.ERRORS, (double) tally.errors());
    put(seen, tally.reads(), Metric.READ_P50, Metric.READ_P99);
    put(seen, tally.writes(), Metric.WRITE_P50, Metric.WRITE_P99);
    put(seen, tally.scans(), Metric.SCAN_P50, Metric.SCAN_P99);
    return seen;
  }

  private static void put(
      Map<Metric, Double> into, Latencies latencies, Metric median, Metric high) {
    if (latencies.count() > 0) {
      into.put(median, latencies.millis(P50));
      into.put(high, latencies.millis(P99));
    }
  }

  private KvRun run(Contender contender, KeySpace keys, List<KeyValueCalls> calls) {
    Population population =
        populations.computeIfAbsent(
            new Table(contender.deployment(), keys), table -> new Population(keys));
    return new KvRun(calls, population, progress, System::nanoTime);
  }

  private String bar() {
    return ProgressLine.bar((double) turnsDone / turns, BAR_WIDTH);
  }
}
