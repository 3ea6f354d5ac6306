package io.quorate.benchmarks.ycsb.run;

import io.quorate.benchmarks.cluster.ClusterOptions;
import io.quorate.benchmarks.report.Machine;
import io.quorate.benchmarks.report.OutputOptions;
import io.quorate.benchmarks.report.Report;
import io.quorate.benchmarks.ycsb.QuorateBinding;
import io.quorate.client.QuorateClient;
import io.quorate.client.cluster.NodeState;
import io.quorate.common.FileErrors;
import io.quorate.server.cli.terminal.ProgressLine;
import io.quorate.server.localcluster.ProcessCluster;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import site.ycsb.Client;

/** {@code bench ycsb}: loads and runs a workload with the client of stock YCSB. */
@Command(
    name = "ycsb",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "A workload of YCSB, run by its own client: first all records are inserted, then the"
          + " operations are executed.",
      "Prints what YCSB prints for both phases, and a summary. Without --at a cluster is started"
          + " for it and removed afterwards."
    })
public final class YcsbCommand implements Callable<Integer> {
  private static final int THREADS_MAX = 10_000;

  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "WORKLOAD",
      description = {
        "A name (" + WorkloadFile.NAMES + "), or a file of properties as YCSB reads it."
      })
  private String workload;

  @Option(
      names = "--records",
      paramLabel = "N",
      description = "Records that are inserted (default: recordcount of the workload).")
  private Optional<Integer> records = Optional.empty();

  @Option(
      names = "--operations",
      paramLabel = "N",
      description = "Operations of the run (default: operationcount of the workload).")
  private Optional<Integer> operations = Optional.empty();

  @Option(
      names = "--threads",
      paramLabel = "T",
      defaultValue = "64",
      description = "Threads, each with one operation in flight (default: ${DEFAULT-VALUE}).")
  private int threads;

  @Option(
      names = "--at",
      paramLabel = "HOST:PORT,...",
      description = "Measure this cluster; the records are written there and stay.")
  private Optional<String> at = Optional.empty();

  @Mixin private ClusterOptions cluster;
  @Mixin private OutputOptions output;

  @Override
  public Integer call() throws IOException, InterruptedException {
    WorkloadFile file = workload();
    if (at.isPresent()) {
      measure(file, at.get());
      return 0;
    }
    Map<String, String> settings = new HashMap<>();
    RegionBounds.splitKeys(file, cluster.regions())
        .ifPresent(keys -> settings.put("cluster.split-keys", keys));
    try (ProcessCluster own = cluster.start(settings)) {
      measure(file, own.plan().clientAddresses());
      return 0;
    }
  }

  private WorkloadFile workload() {
    if (threads < 1 || threads > THREADS_MAX) {
      throw wrongUse("--threads is from 1 to " + THREADS_MAX + ", not " + threads + ".");
    }
    WorkloadFile file = file();
    Map<String, String> counts = new HashMap<>();
    records.ifPresent(count -> counts.put(Client.RECORD_COUNT_PROPERTY, count.toString()));
    operations.ifPresent(count -> counts.put(Client.OPERATION_COUNT_PROPERTY, count.toString()));
    WorkloadFile counted = file.with(counts);
    for (Phase phase : Phase.values()) {
      expected(counted, phase);
    }
    count(counted, Client.RECORD_COUNT_PROPERTY, "--records");
    return counted;
  }

  private WorkloadFile file() {
    try {
      return WorkloadFile.read(workload)
          .orElseThrow(
              () ->
                  wrongUse(
                      String.format(
                          Locale.ROOT,
                          "There is no workload and no file %s; the workloads are %s.",
                          workload,
                          WorkloadFile.NAMES)));
    } catch (IOException e) {
      throw wrongUse("The workload cannot be read: " + FileErrors.describe(e) + ".");
    }
  }

  private int count(WorkloadFile file, String property, String option) {
    String text = file.property(property).orElse("0");
    try {
      int count = Integer.parseInt(text);
      if (count >= 1) {
        return count;
      }
    } catch (NumberFormatException e) {
      // Reported as a number that is too small.
    }
    throw wrongUse(
        option + " or " + property + " of the workload is a number from 1 on, not " + text + ".");
  }

  private void measure(WorkloadFile file, String addresses)
      throws IOException, InterruptedException {
    String preset = preset(addresses);
    WorkloadFile connected = file.with(QuorateBinding.properties(addresses));
    PrintWriter out = spec.commandLine().getOut();
    YcsbReport report;
    try (ProgressLine progress = ProgressLine.onStandardError()) {
      YcsbProcess ycsb = new YcsbProcess(connected, threads, progress, out::println);
      YcsbOutput load = run(ycsb, file, Phase.LOAD);
      YcsbOutput transactions = run(ycsb, file, Phase.TRANSACTIONS);
      report = new YcsbReport(file.name(), preset, load, transactions);
    }
    Machine machine = Machine.now();
    out.print(report.table(machine));
    out.flush();
    output.write(new Report(command(), machine, report.rows()), YcsbReport.EXPERIMENT);
  }

  /** The preset of the cluster, as reported by its nodes. */
  private static String preset(String addresses) {
    try (QuorateClient client = QuorateClient.connect(addresses)) {
      return client.status().nodes().stream()
          .flatMap(node -> node.state().stream())
          .map(NodeState::preset)
          .findFirst()
          .orElse("unknown");
    }
  }

  /**
   * @throws IOException if the phase was not completed
   */
  private YcsbOutput run(YcsbProcess ycsb, WorkloadFile file, Phase phase)
      throws IOException, InterruptedException {
    long expected = expected(file, phase);
    YcsbOutput result = ycsb.run(phase, expected);
    PrintWriter out = spec.commandLine().getOut();
    result.notices().forEach(notice -> out.printf(Locale.ROOT, "%s: %s%n", file.name(), notice));
    if (result.throughput().isEmpty()) {
      throw wrongUse(
          "YCSB cannot run this workload: "
              + result.exception().orElse("it ended without a report")
              + ".");
    }
    boolean isLoad = phase == Phase.LOAD;
    long done = result.successes() + (isLoad ? 0 : result.failures());
    boolean mayEndEarly = !isLoad && file.property(Client.MAX_EXECUTION_TIME).isPresent();
    if (done < expected && !mayEndEarly) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "YCSB completed %d of %d operations of the phase %s%s",
              done,
              expected,
              phase,
              result.exception().map(cause -> ": " + cause).orElse(".")));
    }
    return result;
  }

  /** The number of operations of a phase. */
  private int expected(WorkloadFile file, Phase phase) {
    if (phase == Phase.TRANSACTIONS) {
      return count(file, Client.OPERATION_COUNT_PROPERTY, "--operations");
    }
    return file.property(Client.INSERT_COUNT_PROPERTY).isPresent()
        ? count(file, Client.INSERT_COUNT_PROPERTY, "--records")
        : count(file, Client.RECORD_COUNT_PROPERTY, "--records");
  }

  private String command() {
    return String.join(" ", spec.root().commandLine().getParseResult().originalArgs());
  }

  private ParameterException wrongUse(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
