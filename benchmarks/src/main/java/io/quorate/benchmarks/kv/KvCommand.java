package io.quorate.benchmarks.kv;

import io.quorate.benchmarks.cluster.ClusterOptions;
import io.quorate.benchmarks.report.Machine;
import io.quorate.benchmarks.report.OutputOptions;
import io.quorate.benchmarks.report.Report;
import io.quorate.benchmarks.report.Row;
import io.quorate.server.cli.terminal.ProgressLine;
import io.quorate.server.localcluster.ProcessCluster;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bench kv}: measures the throughput and latency of single reads and writes. */
@Command(
    name = "kv",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Throughput and latency of puts and gets under closed-loop clients.",
      "Keys have 16 bytes. Every combination of --ops and --clients is run, in turns, and compared"
          + " with the first. Without --at a cluster is started for it and removed afterwards."
    })
public final class KvCommand implements Callable<Integer> {
  private static final String EXPERIMENT = "kv";
  private static final int CLIENTS_MAX = 100_000;
  private static final int VALUE_BYTES_MAX = 64 << 20;
  private static final int SECONDS_MAX = 24 * 3600;

  @Spec private CommandSpec spec;

  @Option(
      names = "--clients",
      split = ",",
      paramLabel = "C",
      defaultValue = "256",
      description = "Clients, each with one call in flight; a list (default: ${DEFAULT-VALUE}).")
  private List<Integer> clients;

  @Option(
      names = "--ops",
      split = ",",
      paramLabel = "OPS",
      defaultValue = "put",
      description = "put, get or mixed; a list (default: ${DEFAULT-VALUE}).")
  private List<Operations> operations;

  @Option(
      names = "--value",
      paramLabel = "BYTES",
      defaultValue = "1024",
      description = "Length of the values (default: ${DEFAULT-VALUE}).")
  private int valueBytes;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "10",
      description = "Measured time of each combination (default: ${DEFAULT-VALUE}).")
  private int seconds;

  @Option(
      names = "--warmup",
      paramLabel = "S",
      defaultValue = "3",
      description =
          "Time of each combination before anything is measured (default: ${DEFAULT-VALUE}).")
  private int warmupSeconds;

  @Option(
      names = "--keys",
      paramLabel = "N",
      defaultValue = "10000",
      description = "How many keys there are; all are written first (default: ${DEFAULT-VALUE}).")
  private int keys;

  @Option(
      names = "--read-ratio",
      paramLabel = "R",
      description = "The share of gets in mixed, from 0 to 1 (default: 0.5).")
  private Optional<Double> readRatio = Optional.empty();

  @Option(
      names = "--series",
      description = {
        "What each second is like from a fresh start on: nothing is warmed up, and without --at every",
        "combination has a cluster of its own. Keys are written first only where they are read."
      })
  private boolean series;

  @Option(
      names = "--at",
      paramLabel = "HOST:PORT,...",
      description = "Measure this cluster; the keys are written there and stay.")
  private Optional<String> at = Optional.empty();

  @Mixin private ClusterOptions cluster;
  @Mixin private OutputOptions output;

  @Override
  public Integer call() throws IOException, InterruptedException {
    requireFrom("--value", valueBytes, 0, VALUE_BYTES_MAX);
    requireFrom("--seconds", seconds, 1, SECONDS_MAX);
    requireFrom("--warmup", warmupSeconds, 0, SECONDS_MAX);
    requireFrom("--keys", keys, 1, Integer.MAX_VALUE);
    clients.forEach(count -> requireFrom("--clients", count, 1, CLIENTS_MAX));
    readRatio.ifPresent(this::requireFraction);
    if (series) {
      measureSeries();
      return 0;
    }
    if (at.isPresent()) {
      measure(at.get());
      return 0;
    }
    try (ProcessCluster own = cluster.start()) {
      measure(own.plan().clientAddresses());
      return 0;
    }
  }

  private void measureSeries() throws IOException, InterruptedException {
    List<Row> rows = new ArrayList<>();
    for (KvWorkload workload : workloads()) {
      if (at.isPresent()) {
        rows.addAll(series(at.get(), workload, Optional.empty()));
      } else {
        long startNanos = System.nanoTime();
        try (ProcessCluster own = cluster.start()) {
          Duration ready = Duration.ofNanos(System.nanoTime() - startNanos);
          rows.addAll(series(own.plan().clientAddresses(), workload, Optional.of(ready)));
        }
      }
    }
    output.write(new Report(command(), Machine.now(), rows), EXPERIMENT);
  }

  /**
   * @param ready time until the cluster served, if it was started for this measurement
   */
  private List<Row> series(String addresses, KvWorkload workload, Optional<Duration> ready)
      throws IOException, InterruptedException {
    try (ClientPool pool = ClientPool.to(addresses)) {
      List<WorkloadStats> statsBySecond = series(pool, workload);
      PrintWriter out = spec.commandLine().getOut();
      out.print(KvReport.seriesTable(workload, ready, statsBySecond, Machine.now()));
      out.flush();
      return KvReport.seriesRows(pool.preset(), workload, ready, statsBySecond);
    }
  }

  private List<WorkloadStats> series(ClientPool pool, KvWorkload workload)
      throws IOException, InterruptedException {
    try (ProgressLine progress = ProgressLine.onStandardError()) {
      KvRun run = run(pool, progress);
      if (workload.mix().share(CallKind.GET) > 0) {
        run.preload(valueBytes);
      }
      return run.series(workload, seconds);
    }
  }

  private KvRun run(ClientPool pool, ProgressLine progress) {
    return new KvRun(pool.calls(), new Population(new KeySpace(keys)), progress, System::nanoTime);
  }

  private void measure(String addresses) throws IOException, InterruptedException {
    try (ClientPool pool = ClientPool.to(addresses)) {
      String preset = pool.preset();
      report(preset, run(pool));
    }
  }

  private Map<KvWorkload, WorkloadStats> run(ClientPool pool)
      throws IOException, InterruptedException {
    try (ProgressLine progress = ProgressLine.onStandardError()) {
      KvRun run = run(pool, progress);
      run.preload(valueBytes);
      return run.measure(
          workloads(), Duration.ofSeconds(warmupSeconds), Duration.ofSeconds(seconds));
    }
  }

  private void report(String preset, Map<KvWorkload, WorkloadStats> statsByWorkload)
      throws IOException {
    Machine machine = Machine.now();
    PrintWriter out = spec.commandLine().getOut();
    out.print(KvReport.table(statsByWorkload, machine));
    statsByWorkload.forEach(
        (workload, stats) ->
            stats
                .firstError()
                .ifPresent(
                    error ->
                        out.printf(
                            Locale.ROOT, "%s failed first with: %s%n", workload.name(), error)));
    out.flush();
    output.write(
        new Report(command(), machine, KvReport.rows(preset, statsByWorkload)), EXPERIMENT);
  }

  private String command() {
    return String.join(" ", spec.root().commandLine().getParseResult().originalArgs());
  }

  private List<KvWorkload> workloads() {
    List<KvWorkload> workloads = new ArrayList<>();
    for (Operations what : operations) {
      double reads =
          what == Operations.MIXED ? readRatio.orElse(what.readRatio()) : what.readRatio();
      clients.forEach(count -> workloads.add(new KvWorkload(what, count, valueBytes, reads)));
    }
    return workloads.stream().distinct().toList();
  }

  private void requireFraction(double value) {
    if (!(value >= 0 && value <= 1)) {
      throw new ParameterException(
          spec.commandLine(), "--read-ratio is from 0 to 1, not " + value + ".");
    }
  }

  private void requireFrom(String option, int value, int min, int max) {
    if (value < min || value > max) {
      throw new ParameterException(
          spec.commandLine(), option + " is from " + min + " to " + max + ", not " + value + ".");
    }
  }
}
