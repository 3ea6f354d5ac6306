package io.quorate.benchmarks.costs;

import io.quorate.benchmarks.cluster.ClusterOptions;
import io.quorate.benchmarks.kv.KvWorkload;
import io.quorate.benchmarks.report.Machine;
import io.quorate.benchmarks.report.OutputOptions;
import io.quorate.benchmarks.report.Report;
import io.quorate.benchmarks.report.Row;
import io.quorate.server.cli.format.TextTable;
import io.quorate.server.cli.terminal.ProgressLine;
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
  private static final int FILL_MEBIBYTES_MAX = 1 << 20;
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

  @Option(
      names = "--secure",
      description =
          "Compare puts and gets of a cluster with TLS with those of one without, in turn; without"
              + " the fill. Takes about 8 minutes.")
  private boolean secure;

  @Mixin private ClusterOptions cluster;
  @Mixin private OutputOptions output;

  @Override
  public Integer call() throws IOException, InterruptedException {
    requireFrom("--seconds", seconds, 1, SECONDS_MAX);
    requireFrom("--warmup", warmupSeconds, 0, SECONDS_MAX);
    requireFrom("--fill", fillMebibytes, 0, FILL_MEBIBYTES_MAX);
    return secure ? compare() : measure();
  }

  private int measure() throws IOException, InterruptedException {
    Map<String, LoadCosts> measured = new LinkedHashMap<>();
    try (ProgressLine progress = ProgressLine.onStandardError();
        LoadedCluster loaded = new LoadedCluster(cluster.start(), progress)) {
      loaded.warmUp(Duration.ofSeconds(warmupSeconds));
      for (KvWorkload load : LoadedCluster.loads()) {
        measured.put(load.name(), loaded.measure("", load, Duration.ofSeconds(seconds)));
      }
      if (fillMebibytes > 0) {
        measured.put(
            "fill, " + LoadedCluster.FILL_CLIENTS + " clients, " + fillMebibytes + " MiB",
            loaded.fill(fillMebibytes));
      }
    }
    report(measured);
    return 0;
  }

  /** Both clusters run all the time, and one has load. */
  private int compare() throws IOException, InterruptedException {
    TlsCosts costs = new TlsCosts(EXPERIMENT, cluster.preset());
    try (ProgressLine progress = ProgressLine.onStandardError();
        LoadedCluster without = new LoadedCluster(cluster.start(), progress);
        LoadedCluster with = new LoadedCluster(cluster.startSecure(), progress)) {
      costs.measure(without, with, Duration.ofSeconds(warmupSeconds), Duration.ofSeconds(seconds));
    }
    print(costs.table(), costs.rows());
    return 0;
  }

  private void requireFrom(String option, int value, int min, int max) {
    if (value < min || value > max) {
      throw new ParameterException(
          spec.commandLine(), option + " is from " + min + " to " + max + ", not " + value + ".");
    }
  }

  private void report(Map<String, LoadCosts> measured) throws IOException {
    TextTable table =
        TextTable.ofFigures(
            "load",
            "ops/s",
            "CPU us a call",
            "of the clients",
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
              String.format(Locale.ROOT, "%.0f", costs.clientMicros()),
              String.format(Locale.ROOT, "%.2f", costs.switches()),
              String.format(Locale.ROOT, "%.2f", costs.clientSwitches()),
              String.format(Locale.ROOT, "%.3f", costs.syncs()),
              String.format(Locale.ROOT, "%.1f", allocated),
              costs.writtenBytes() == 0
                  ? "-"
                  : String.format(Locale.ROOT, "%.2f", costs.writtenBytes()));
          rows.add(row(load, "throughput", figures.throughput(), "ops/s"));
          rows.add(row(load, "cpu per call", costs.processorMicros(), "us"));
          rows.add(row(load, "cpu of the clients per call", costs.clientMicros(), "us"));
          rows.add(row(load, "context switches per call", costs.switches(), ""));
          rows.add(
              row(load, "context switches of the clients per call", costs.clientSwitches(), ""));
          rows.add(row(load, "fsyncs per call and node", costs.syncs(), ""));
          rows.add(row(load, "allocated per call and node", allocated, "KiB"));
          rows.add(row(load, "written per byte and node", costs.writtenBytes(), ""));
        });
    print(table, rows);
  }

  private void print(TextTable table, List<Row> rows) throws IOException {
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
