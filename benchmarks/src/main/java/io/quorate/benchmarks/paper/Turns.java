package io.quorate.benchmarks.paper;

import io.quorate.benchmarks.cluster.WideArea;
import io.quorate.benchmarks.kv.KeySpace;
import io.quorate.benchmarks.kv.KeyValueCalls;
import io.quorate.benchmarks.kv.KvRun;
import io.quorate.benchmarks.kv.Latencies;
import io.quorate.benchmarks.kv.Tally;
import io.quorate.benchmarks.metrics.Scrape;
import io.quorate.client.cli.ProgressLine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

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
  private static final double WARMUP_READ_RATIO = 0.5;

  private final Pace pace;
  private final Path data;
  private final ProgressLine progress;
  private final Results results = new Results();
  private int turns;
  private int turnsDone;

  /** What cases must have in common to be measured on the same clusters. */
  private record Ground(int replicas, boolean isWideArea) {
    static Ground of(Case one) {
      return new Ground(one.replicas(), !one.oneWayDelay().isZero());
    }
  }

  /**
   * @param data an existing directory, in which clusters have their data while they run
   */
  public Turns(Pace pace, Path data, ProgressLine progress) {
    this.pace = pace;
    this.data = data;
    this.progress = progress;
  }

  /**
   * Starts the clusters that are needed, those of one size at a time, measures every case, and
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
        contender ->
            progress.show(() -> bar() + " N=" + ground.replicas() + ", starting " + contender);
    try (Stage stage = Stage.open(contenders, data, ground.replicas(), wideArea, starting)) {
      for (Contender contender : contenders) {
        try {
          prepare(stage, contender, cases);
        } catch (IOException e) {
          throw new IOException(
              "With " + ground.replicas() + " replicas of " + contender + ": " + e.getMessage(), e);
        }
      }
      for (int round = 0;
          round == 0 || (round < pace.rounds() && System.nanoTime() - untilNanos < 0);
          round++) {
        for (Case each : cases) {
          stage.delay(each.oneWayDelay());
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

  /** Writes all keys there will be, and lets the nodes' JVMs compile what they need. */
  private void prepare(Stage stage, Contender contender, List<Case> cases)
      throws IOException, InterruptedException {
    int keys = cases.stream().mapToInt(each -> each.load().keys()).max().orElseThrow();
    int valueBytes = cases.get(0).load().valueBytes();
    KvRun run = run(stage.connections(contender).calls(), keys);
    run.preload(valueBytes);
    Load load = new Load(WARMUP_CLIENTS, WARMUP_READ_RATIO, keys, valueBytes);
    run.turn(
        bar() + " warming up " + contender + ", ", load.workload(), 0, pace.warmup().toNanos());
  }

  private Map<Metric, Double> turn(Stage stage, Case measured, Contender contender)
      throws IOException, InterruptedException {
    LongAdder answers = new LongAdder();
    List<KeyValueCalls> calls =
        stage.connections(contender).calls().stream()
            .<KeyValueCalls>map(each -> new CountedCalls(each, answers))
            .toList();
    Optional<Scrape> before = scrape(stage, measured, contender);
    Tally tally =
        run(calls, measured.load().keys())
            .turn(
                bar() + " N=" + measured.replicas() + ", " + contender + ", ",
                measured.load().workload(),
                pace.ramp().toNanos(),
                pace.slice().toNanos());
    Map<Metric, Double> seen = seen(tally);
    if (before.isPresent()) {
      Scrape after = scrape(stage, measured, contender).orElseThrow();
      seen.putAll(new NodeCounts(before.get(), after).metrics(measured.replicas(), answers.sum()));
    }
    return seen;
  }

  private static Optional<Scrape> scrape(Stage stage, Case measured, Contender contender)
      throws IOException, InterruptedException {
    return measured.counts() ? Optional.of(Scrape.of(stage.nodes(contender))) : Optional.empty();
  }

  private static Map<Metric, Double> seen(Tally tally) {
    Map<Metric, Double> seen = new EnumMap<>(Metric.class);
    seen.put(Metric.THROUGHPUT, tally.throughput());
    seen.put(Metric.ERRORS, (double) tally.errors());
    put(seen, tally.reads(), Metric.READ_P50, Metric.READ_P99);
    put(seen, tally.writes(), Metric.WRITE_P50, Metric.WRITE_P99);
    return seen;
  }

  private static void put(
      Map<Metric, Double> into, Latencies latencies, Metric median, Metric high) {
    if (latencies.count() > 0) {
      into.put(median, latencies.millis(P50));
      into.put(high, latencies.millis(P99));
    }
  }

  private KvRun run(List<KeyValueCalls> calls, int keys) {
    return new KvRun(calls, new KeySpace(keys), progress, System::nanoTime);
  }

  private String bar() {
    return ProgressLine.bar((double) turnsDone / turns, BAR_WIDTH);
  }
}
