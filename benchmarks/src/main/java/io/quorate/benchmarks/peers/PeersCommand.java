package io.quorate.benchmarks.peers;

import io.quorate.benchmarks.cluster.DataDirectoryOption;
import io.quorate.benchmarks.paper.report.EvaluationReport;
import io.quorate.benchmarks.paper.report.PaperOutput;
import io.quorate.benchmarks.peers.contender.Contender;
import io.quorate.benchmarks.peers.contender.Programs;
import io.quorate.benchmarks.peers.etcd.EtcdContender;
import io.quorate.benchmarks.peers.jvm.JvmContender;
import io.quorate.benchmarks.peers.quorate.QuorateContender;
import io.quorate.benchmarks.peers.redis.RedisContender;
import io.quorate.benchmarks.peers.run.Measured;
import io.quorate.benchmarks.peers.run.SideBySideRun;
import io.quorate.benchmarks.report.InterruptAtShutdown;
import io.quorate.benchmarks.report.Machine;
import io.quorate.benchmarks.report.OutputOptions;
import io.quorate.benchmarks.report.Report;
import io.quorate.server.cli.terminal.ProgressLine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bench peers}: compares Quorate with other databases. */
@Command(
    name = "peers",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Throughput, latency and processor time of Quorate and other databases, side by side.",
      "All are started on this machine, measured in turns by the same clients, and removed"
          + " afterwards. Figures are related to the limits of the machine, which are measured in"
          + " the same run. Databases that are missing are built first, from published artifacts,"
          + " and kept for the next run; one that cannot be had is listed with the reason. Takes"
          + " about 25 minutes, with --quick about 7. Exits with 0 when all that could be had were"
          + " measured, with 1 when one of them failed or the run was interrupted; the report has the"
          + " rest then."
    })
public final class PeersCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(names = "--quick", description = "Measure for a shorter time.")
  private boolean quick;

  @Option(
      names = "--contenders",
      split = ",",
      paramLabel = "NAME",
      description =
          "Which to measure, of quorate-raft, quorate-acqr, etcd, redis, rheakv and ratis; a list,"
              + " whose first one is the baseline (default: all).")
  private List<String> names = List.of();

  @Option(
      names = "--programs",
      paramLabel = "DIR",
      description =
          "Where programs are built and kept (default: quorate/peers below the user's cache"
              + " directory).")
  private Optional<Path> programs = Optional.empty();

  @Option(
      names = "--no-build",
      description = "Build nothing; measure what is installed or built already.")
  private boolean noBuild;

  @Mixin private DataDirectoryOption data;
  @Mixin private OutputOptions output;

  private final List<Contender> all;
  private final PeersScale fullScale;
  private final PeersScale quickScale;

  public PeersCommand() {
    this(everyContender(), PeersScale.FULL, PeersScale.QUICK);
  }

  static List<Contender> everyContender() {
    return List.of(
        new QuorateContender("raft"),
        new QuorateContender("acqr"),
        new EtcdContender(),
        new RedisContender(),
        JvmContender.rheaKv(),
        JvmContender.ratis());
  }

  /** Measures these contenders on other scales. */
  PeersCommand(List<Contender> all, PeersScale fullScale, PeersScale quickScale) {
    this.all = List.copyOf(all);
    this.fullScale = fullScale;
    this.quickScale = quickScale;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    List<Contender> contenders = contenders();
    PeersScale scale = quick ? quickScale : fullScale;
    try (InterruptAtShutdown interrupt = new InterruptAtShutdown()) {
      Machine before = Machine.now();
      Measured measured = measure(contenders, scale, interrupt);
      report(new PeersReport(contenders, scale, measured), before);
      return measured.results().failures().isEmpty() ? 0 : 1;
    }
  }

  private void report(PeersReport report, Machine before) throws IOException {
    Machine machine = Machine.now();
    List<String> notes = new ArrayList<>(report.notes());
    notes.add(String.format(Locale.ROOT, "The load average was %.2f before.", before.load()));
    EvaluationReport figures = report.tablesAndPlots();
    PaperOutput page = new PaperOutput(PeersReport.TITLE, notes, figures.tables(), figures.plots());
    page.print(spec.commandLine().getOut(), machine);
    String command = String.join(" ", spec.root().commandLine().getParseResult().originalArgs());
    page.write(output, new Report(command, machine, figures.rows()), PeersReport.NAME);
  }

  private Measured measure(
      List<Contender> contenders, PeersScale scale, InterruptAtShutdown interrupt)
      throws IOException, InterruptedException {
    try (ProgressLine progress = ProgressLine.onStandardError()) {
      Programs built =
          new Programs(
              programs.orElseGet(Programs::defaultDirectory),
              !noBuild,
              what -> progress.show(() -> what));
      try (SideBySideRun run =
          new SideBySideRun(
              scale.plan(),
              scale.limitTime(),
              systems -> PeerLoads.of(scale, systems),
              scale.manyClients(),
              data.make(),
              built,
              progress)) {
        return run.measure(contenders);
      }
    } finally {
      interrupt.measured();
    }
  }

  /** The selected contenders, in the order of the selection. */
  private List<Contender> contenders() {
    List<Contender> selected = new ArrayList<>();
    for (String name : names.stream().distinct().toList()) {
      selected.add(
          all.stream()
              .filter(each -> each.name().equals(name))
              .findFirst()
              .orElseThrow(() -> new ParameterException(spec.commandLine(), unknown(name))));
    }
    return selected.isEmpty() ? all : selected;
  }

  private String unknown(String name) {
    return "There is no contender \""
        + name
        + "\"; there are "
        + all.stream().map(Contender::name).collect(Collectors.joining(", "))
        + ".";
  }
}
