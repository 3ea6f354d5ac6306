package io.quorate.benchmarks.costs;

import io.quorate.benchmarks.cluster.ClusterOptions;
import io.quorate.benchmarks.cluster.IdleDisks;
import io.quorate.benchmarks.kv.CallKind;
import io.quorate.benchmarks.kv.ClientPool;
import io.quorate.benchmarks.kv.KeyChoice;
import io.quorate.benchmarks.kv.KeySpace;
import io.quorate.benchmarks.kv.KvRun;
import io.quorate.benchmarks.kv.KvWorkload;
import io.quorate.benchmarks.kv.Mix;
import io.quorate.benchmarks.kv.Population;
import io.quorate.benchmarks.kv.WorkloadStats;
import io.quorate.benchmarks.report.Machine;
import io.quorate.benchmarks.report.OutputOptions;
import io.quorate.benchmarks.report.Report;
import io.quorate.benchmarks.report.Row;
import io.quorate.server.cli.format.TextTable;
import io.quorate.server.cli.terminal.ProgressLine;
import io.quorate.server.localcluster.ProcessCluster;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bench costs}: measures what a call costs the nodes of a cluster. */
@Command(
    name = "costs",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Processor time, context switches, fsyncs, allocation and writes to disk of the nodes for"
          + " each call, and the context switches of the clients.",
      "Writes are those of the block devices of the data, so that what other programs write to them"
          + " counts too.",
      "A cluster is started for it and removed afterwards. Keys have 16 bytes, 20 in the fill,"
          + " values 1 KiB. Takes about 4 minutes, and a few times the size of the fill on each node."
    })
public final class CostsCommand implements Callable<Integer> {
  private static final String EXPERIMENT = "costs";
  private static final int KEYS = 10_000;

  /** Of the keys of a space of their own, which the fill has. */
  private static final int FILL_KEY_BYTES = 20;

  private static final int FILL_MEBIBYTES_MAX = 1 << 20;
  private static final int VALUE_BYTES = 1 << 10;
  private static final int FILL_CLIENTS = 256;
  private static final int SECONDS_MAX = 24 * 3600;
  private static final double BYTES_PER_KIB = 1 << 10;

  @Spec private CommandSpec spec;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "10",
      description = "Measured time of each load (default: ${DEFAULT-VALUE}).")
  private int seconds;

  @Option(
      names = "--warmup",
      paramLabel = "S",
      defaultValue = "30",
      description =
          "Time before the first measurement, while the JVMs compile (default: ${DEFAULT-VALUE}).")
  private int warmupSeconds;

  @Option(
      names = "--fill",
      paramLabel = "MIB",
      defaultValue = "2048",
      description =
          "How much is written once to measure the writes to disk, with what flushes and compactions"
              + " add; 0 for none (default: ${DEFAULT-VALUE}).")
  private int fillMebibytes;

  @Mixin private ClusterOptions cluster;
  @Mixin private OutputOptions output;

  /** What a load cost, and its throughput in calls per second. */
  private record Measured(double throughput, CallCosts costs) {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    requireFrom("--seconds", seconds, 1, SECONDS_MAX);
    requireFrom("--warmup", warmupSeconds, 0, SECONDS_MAX);
    requireFrom("--fill", fillMebibytes, 0, FILL_MEBIBYTES_MAX);
    Map<String, Measured> measured = new LinkedHashMap<>();
    try (ProcessCluster running = cluster.start();
        ClientPool clients = ClientPool.to(running.plan().clientAddresses());
        ProgressLine progress = ProgressLine.onStandardError()) {
      measureCalls(running, clients, progress, measured);
      if (fillMebibytes > 0) {
        measureFill(running, clients, progress, measured);
      }
    }
    report(measured);
    return 0;
  }

  private void requireFrom(String option, int value, int min, int max) {
    if (value < min || value > max) {
      throw new ParameterException(
          spec.commandLine(), option + " is from " + min + " to " + max + ", not " + value + ".");
    }
  }

  private void measureCalls(
      ProcessCluster running,
      ClientPool clients,
      ProgressLine progress,
      Map<String, Measured> measured)
      throws IOException, InterruptedException {
    KvRun run =
        new KvRun(clients.calls(), new Population(new KeySpace(KEYS)), progress, System::nanoTime);
    run.preload(VALUE_BYTES);
    Mix half = Mix.of(CallKind.GET, 0.5, CallKind.PUT);
    run.warmUp("warming up: ", load("mixed", half, 64), Duration.ofSeconds(warmupSeconds));
    for (CallKind kind : List.of(CallKind.PUT, CallKind.GET)) {
      for (int count : List.of(1, 64, 256)) {
        KvWorkload load = load(kind.toString(), Mix.of(kind), count);
        measured.put(
            load.name(),
            measure(
                running,
                () -> run.runSlice("measuring: ", load, 0, Duration.ofSeconds(seconds).toNanos()),
                0));
      }
    }
  }

  /** The calls whose costs are measured. */
  private interface Calls {
    WorkloadStats run() throws IOException, InterruptedException;
  }

  /**
   * Measures calls, and what the nodes do after their responses. Blocks.
   *
   * @param bytesPerCall bytes of the key and value of a call; 0 for no figure of writes
   */
  private static Measured measure(ProcessCluster running, Calls calls, long bytesPerCall)
      throws IOException, InterruptedException {
    IdleDisks.await(running.nodes());
    NodeCounters before = NodeCounters.of(running);
    WorkloadStats stats = calls.run();
    if (bytesPerCall > 0) {
      IdleDisks.await(running.nodes());
    }
    long count = stats.all().count();
    return new Measured(
        stats.throughput(),
        CallCosts.of(
            before, NodeCounters.of(running), count, count * bytesPerCall, running.nodes().size()));
  }

  private static KvWorkload load(String what, Mix mix, int clients) {
    return new KvWorkload(what, mix, KeyChoice.UNIFORM, clients, VALUE_BYTES);
  }

  /** Writes new keys, until the disks are idle. */
  private void measureFill(
      ProcessCluster running,
      ClientPool clients,
      ProgressLine progress,
      Map<String, Measured> measured)
      throws IOException, InterruptedException {
    KeySpace keys = new KeySpace(1, fillMebibytes << 10);
    KvRun run = new KvRun(clients.calls(), new Population(keys), progress, System::nanoTime);
    measured.put(
        "fill, " + FILL_CLIENTS + " clients, " + fillMebibytes + " MiB",
        measure(
            running,
            () -> run.load("", VALUE_BYTES, FILL_CLIENTS).stats(),
            FILL_KEY_BYTES + VALUE_BYTES));
  }

  private void report(Map<String, Measured> measured) throws IOException {
    TextTable table =
        TextTable.ofFigures(
            "load",
            "ops/s",
            "CPU us a call",
            "switches a call",
            "of the clients",
            "fsyncs a call and node",
            "KiB allocated a call and node",
            "bytes written a byte and node");
    List<Row> rows = new ArrayList<>();
    measured.forEach(
        (load, figures) -> {
          CallCosts costs = figures.costs();
          double allocated = costs.allocatedBytes() / BYTES_PER_KIB;
          table.add(
              load,
              String.format(Locale.ROOT, "%.0f", figures.throughput()),
              String.format(Locale.ROOT, "%.0f", costs.processorMicros()),
              String.format(Locale.ROOT, "%.2f", costs.switches()),
              String.format(Locale.ROOT, "%.2f", costs.clientSwitches()),
              String.format(Locale.ROOT, "%.3f", costs.syncs()),
              String.format(Locale.ROOT, "%.1f", allocated),
              costs.writtenBytes() == 0
                  ? "-"
                  : String.format(Locale.ROOT, "%.2f", costs.writtenBytes()));
          rows.add(row(load, "throughput", figures.throughput(), "ops/s"));
          rows.add(row(load, "cpu per call", costs.processorMicros(), "us"));
          rows.add(row(load, "context switches per call", costs.switches(), ""));
          rows.add(
              row(load, "context switches of the clients per call", costs.clientSwitches(), ""));
          rows.add(row(load, "fsyncs per call and node", costs.syncs(), ""));
          rows.add(row(load, "allocated per call and node", allocated, "KiB"));
          rows.add(row(load, "written per byte and node", costs.writtenBytes(), ""));
        });
    Machine machine = Machine.now();
    PrintWriter out = spec.commandLine().getOut();
    out.print(table.render());
    out.printf(Locale.ROOT, "%d cores, load average %.2f%n", machine.cores(), machine.load());
    out.flush();
    output.write(new Report("bench costs", machine, rows), EXPERIMENT);
  }

  private Row row(String load, String metric, double value, String unit) {
    return new Row(EXPERIMENT, load, cluster.preset(), metric, value, unit);
  }
}
