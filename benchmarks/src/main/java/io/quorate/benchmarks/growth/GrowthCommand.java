package io.quorate.benchmarks.growth;

import io.quorate.benchmarks.cluster.DataDirectoryOption;
import io.quorate.benchmarks.paper.report.PaperOutput;
import io.quorate.benchmarks.report.InterruptAtShutdown;
import io.quorate.benchmarks.report.Machine;
import io.quorate.benchmarks.report.OutputOptions;
import io.quorate.benchmarks.report.Report;
import io.quorate.server.cli.terminal.ProgressLine;
import io.quorate.server.config.Preset;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bench growth}: measures clusters with many regions and with many connections. */
@Command(
    name = "growth",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Throughput, costs and memory by the numbers of regions and of connections.",
      "Clusters of three nodes with 1, 16 and 64 regions in use, under raft and then under acqr, and"
          + " then with 1 and 256 regions and 100 and 10,000 idle connections, run at the same time,"
          + " are measured in turns, and are removed afterwards. Takes about 27 minutes, with"
          + " --quick less than 5 (without writes to disk and 100 connections). Exits with 0 when"
          + " all were measured, with 1 when one failed or the run was interrupted; the report has"
          + " the rest then."
    })
public final class GrowthCommand implements Callable<Integer> {
  /** As many as a cluster can have. */
  private static final int REGIONS_MAX = 4096;

  private static final int CONNECTIONS_MAX = 100_000;

  @Spec private CommandSpec spec;

  @Option(names = "--quick", description = "Measure for a shorter time.")
  private boolean quick;

  @Option(
      names = "--regions",
      split = ",",
      paramLabel = "N",
      description = {
        "Numbers of regions to measure, 2 to 4096 each, a list; up to 64 also with all of them in",
        "use. If they or numbers of connections are given, only these are measured, beside one",
        "region without idle connections."
      })
  private List<Integer> regions = List.of();

  @Option(
      names = "--presets",
      split = ",",
      paramLabel = "P",
      description = {
        "How replicas agree, a list (default: raft,acqr). Idle regions and connections are measured",
        "under the first."
      })
  private List<String> presets = List.of();

  @Option(
      names = "--connections",
      split = ",",
      paramLabel = "N",
      description = "Numbers of idle connections to measure, 1 to 100000 each, a list.")
  private List<Integer> connections = List.of();

  @Mixin private DataDirectoryOption data;
  @Mixin private OutputOptions output;

  private final GrowthScale fullScale;
  private final GrowthScale quickScale;

  public GrowthCommand() {
    this(GrowthScale.FULL, GrowthScale.QUICK);
  }

  /** Measures on other scales. */
  GrowthCommand(GrowthScale fullScale, GrowthScale quickScale) {
    this.fullScale = fullScale;
    this.quickScale = quickScale;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    GrowthScale scale = scale();
    try (InterruptAtShutdown interrupt = new InterruptAtShutdown()) {
      GrowthReport report = measure(scale, interrupt);
      write(report);
      return report.isComplete() ? 0 : 1;
    }
  }

  private GrowthScale scale() {
    GrowthScale scale = quick ? quickScale : fullScale;
    if (!presets.isEmpty()) {
      presets.forEach(this::requirePreset);
      scale = scale.ofPresets(presets.stream().distinct().toList());
    }
    if (regions.isEmpty() && connections.isEmpty()) {
      return scale;
    }
    requireWithin("regions", regions, 2, REGIONS_MAX);
    requireWithin("connections", connections, 1, CONNECTIONS_MAX);
    List<Integer> counts =
        IntStream.concat(IntStream.of(1), regions.stream().mapToInt(each -> each).sorted())
            .distinct()
            .boxed()
            .toList();
    return scale.of(
        GrowthScale.Sizes.of(counts, connections.stream().distinct().sorted().toList()));
  }

  private void requirePreset(String preset) {
    if (!Preset.names().contains(preset)) {
      throw new ParameterException(
          spec.commandLine(),
          "There is no preset \"" + preset + "\"; there are " + Preset.names() + ".");
    }
  }

  private void requireWithin(String what, List<Integer> numbers, int min, int max) {
    for (int number : numbers) {
      if (number < min || number > max) {
        throw new ParameterException(
            spec.commandLine(),
            String.format(
                Locale.ROOT, "A number of %s is %d to %d, not %d.", what, min, max, number));
      }
    }
  }

  private void write(GrowthReport report) throws IOException {
    Machine machine = Machine.now();
    PaperOutput page =
        new PaperOutput(GrowthReport.TITLE, report.notes(), report.tables(), report.plots());
    page.print(spec.commandLine().getOut(), machine);
    String command = String.join(" ", spec.root().commandLine().getParseResult().originalArgs());
    page.write(output, new Report(command, machine, report.rows()), GrowthReport.NAME);
  }

  private GrowthReport measure(GrowthScale scale, InterruptAtShutdown interrupt)
      throws IOException, InterruptedException {
    try (ProgressLine progress = ProgressLine.onStandardError()) {
      return new GrowthRun(scale, data.make(), progress).measure(GrowthPart.of(scale));
    } finally {
      interrupt.measured();
    }
  }
}
