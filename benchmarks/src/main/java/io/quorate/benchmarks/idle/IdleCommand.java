package io.quorate.benchmarks.idle;

import io.quorate.benchmarks.cluster.ClusterOptions;
import io.quorate.benchmarks.cluster.ProcessUse;
import io.quorate.benchmarks.report.Machine;
import io.quorate.benchmarks.report.OutputOptions;
import io.quorate.benchmarks.report.Report;
import io.quorate.benchmarks.report.Row;
import io.quorate.server.cli.format.TextTable;
import io.quorate.server.cli.terminal.ExitCode;
import io.quorate.server.cli.terminal.ProgressLine;
import io.quorate.server.localcluster.NodeProcess;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code bench idle}: measures the memory and CPU time of idle nodes. */
@Command(
    name = "idle",
    mixinStandardHelpOptions = true,
    description = "Memory and processor time of each node of a cluster that has nothing to do.")
public final class IdleCommand implements Callable<Integer> {
  private static final String EXPERIMENT = "idle";
  private static final double BYTES_PER_MIB = 1 << 20;

  @Spec private CommandSpec spec;
  @Mixin private ClusterOptions cluster;
  @Mixin private OutputOptions output;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "20",
      description = "How long to watch (default: ${DEFAULT-VALUE}).")
  private int seconds;

  @Option(
      names = "--settle",
      paramLabel = "S",
      defaultValue = "120",
      description =
          "How long to let the cluster come to rest first, while the JVM still compiles"
              + " (default: ${DEFAULT-VALUE}).")
  private int settleSeconds;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (!ProcessUse.isSupported()) {
      spec.commandLine()
          .getErr()
          .println("This system has no /proc, which reports what a process uses; run it on Linux.");
      return ExitCode.UNAVAILABLE.code();
    }
    try (ProcessCluster running = cluster.start()) {
      watch(running, "coming to rest", settleSeconds);
      Map<NodeProcess, ProcessUse> before = use(running);
      long from = System.nanoTime();
      watch(running, "watching", seconds);
      Duration elapsed = Duration.ofNanos(System.nanoTime() - from);
      report(before, use(running), elapsed);
    }
    return 0;
  }

  private static Map<NodeProcess, ProcessUse> use(ProcessCluster cluster) throws IOException {
    Map<NodeProcess, ProcessUse> use = new LinkedHashMap<>();
    for (NodeProcess node : cluster.nodes()) {
      use.put(node, ProcessUse.of(node.handle().orElseThrow().pid()));
    }
    return use;
  }

  /** Waits for a time; fails if a node ends meanwhile, which would invalidate the measurement. */
  private static void watch(ProcessCluster cluster, String what, int seconds)
      throws InterruptedException, IOException {
    CompletableFuture<?> end =
        CompletableFuture.anyOf(
            cluster.nodes().stream().map(NodeProcess::onExit).toArray(CompletableFuture<?>[]::new));
    try (ProgressLine progress = ProgressLine.onStandardError()) {
      for (int left = seconds; left > 0; left--) {
        String state = what + ", " + left + " s left";
        progress.show(() -> state);
        if (endsWithinASecond(end)) {
          NodeProcess ended = (NodeProcess) end.join();
          throw new IOException(
              "Node " + ended.plan().id() + " ended meanwhile: " + ended.lastSentence());
        }
      }
    }
  }

  private static boolean endsWithinASecond(CompletableFuture<?> end) throws InterruptedException {
    try {
      end.get(1, TimeUnit.SECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  private void report(
      Map<NodeProcess, ProcessUse> before, Map<NodeProcess, ProcessUse> after, Duration elapsed)
      throws IOException {
    TextTable table = TextTable.ofFigures("node", "RSS MiB", "CPU % of a core");
    List<Row> rows = new ArrayList<>();
    after.forEach(
        (node, use) -> {
          String name = node.plan().id().value();
          double resident = use.residentBytes() / BYTES_PER_MIB;
          Duration spent = use.processorTime().minus(before.get(node).processorTime());
          double percent = 100.0 * spent.toNanos() / elapsed.toNanos();
          table.add(
              name,
              String.format(Locale.ROOT, "%.0f", resident),
              String.format(Locale.ROOT, "%.1f", percent));
          rows.add(new Row(EXPERIMENT, name, cluster.preset(), "rss", resident, "MiB"));
          rows.add(new Row(EXPERIMENT, name, cluster.preset(), "cpu", percent, "% of a core"));
        });
    Machine machine = Machine.now();
    PrintWriter out = spec.commandLine().getOut();
    out.print(table.render());
    out.printf(Locale.ROOT, "%d cores, load average %.2f%n", machine.cores(), machine.load());
    out.flush();
    output.write(new Report("bench idle", machine, rows), EXPERIMENT);
  }
}
