package io.quorate.benchmarks.growth;

import io.quorate.benchmarks.cluster.DataDirectoryOption;
import io.quorate.benchmarks.paper.report.EvaluationReport;
import io.quorate.benchmarks.paper.report.PaperOutput;
import io.quorate.benchmarks.peers.contender.Programs;
import io.quorate.benchmarks.peers.run.Measured;
import io.quorate.benchmarks.peers.run.SideBySideRun;
import io.quorate.benchmarks.report.InterruptAtShutdown;
import io.quorate.benchmarks.report.Machine;
import io.quorate.benchmarks.report.OutputOptions;
import io.quorate.benchmarks.report.Report;
import io.quorate.server.cli.terminal.ProgressLine;
import java.io.IOException;
import java.util.ArrayList;
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
      "Throughput and memory by the numbers of regions and of connections.",
      "Clusters of three nodes with 1, 16 and 256 regions, and with 100 and 10,000 idle connections,"
          + " run at the same time and are measured in turns, and removed afterwards. Takes about 16"
          + " minutes, with --quick about 4. Exits with 0 when all were measured, with 1 when one"
          + " failed or the run was interrupted; the report has the rest then."
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
        "Numbers of regions to measure, 2 to 4096 each, a list. If they or numbers of connections",
        "are given, only these are measured, beside one region without idle connections."
      })
  private List<Integer> regions = List.of();

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
    List<GrowthContender> contenders = contenders(scale);
    try (InterruptAtShutdown interrupt = new InterruptAtShutdown()) {
      Measured measured = measure(contenders, scale, interrupt);
      report(new GrowthReport(contenders, scale, measured));
      return measured.results().failures().isEmpty() ? 0 : 1;
    }
  }

  private GrowthScale scale() {
    GrowthScale scale = quick ? quickScale : fullScale;
    if (regions.isEmpty() && connections.isEmpty()) {
      return scale;
    }
    requireWithin("regions", regions, 2, REGIONS_MAX);
    requireWithin("connections", connections, 1, CONNECTIONS_MAX);
    return scale.of(
        IntStream.concat(IntStream.of(1), regions.stream().mapToInt(each -> each).sorted())
            .distinct()
            .boxed()
            .toList(),
        connections.stream().distinct().sorted().toList());
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

  private void report(GrowthReport report) throws IOException {
    Machine machine = Machine.now();
    EvaluationReport figures = report.tables();
    PaperOutput page =
        new PaperOutput(GrowthReport.TITLE, report.notes(), figures.tables(), figures.plots());
    page.print(spec.commandLine().getOut(), machine);
    String command = String.join(" ", spec.root().commandLine().getParseResult().originalArgs());
    page.write(output, new Report(command, machine, figures.rows()), GrowthReport.NAME);
  }

  private Measured measure(
      List<GrowthContender> contenders, GrowthScale scale, InterruptAtShutdown interrupt)
      throws IOException, InterruptedException {
    try (ProgressLine progress = ProgressLine.onStandardError()) {
      Programs none = new Programs(Programs.defaultDirectory(), false, what -> {});
      try (SideBySideRun run =
          new SideBySideRun(
              scale.plan(),
              scale.limitTime(),
              new GrowthLoads(scale, contenders)::of,
              scale.clients(),
              data.make(),
              none,
              progress)) {
        return run.measure(contenders);
      }
    } finally {
      interrupt.measured();
    }
  }

  /** One for each number of regions, and one for each number of connections. */
  private static List<GrowthContender> contenders(GrowthScale scale) {
    List<GrowthContender> contenders = new ArrayList<>();
    for (int regions : scale.regions()) {
      contenders.add(new GrowthContender(regions, 0, scale.settle()));
    }
    for (int connections : scale.connections()) {
      contenders.add(new GrowthContender(1, connections, scale.settle()));
    }
    return contenders;
  }
}
