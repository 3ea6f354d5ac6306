package io.quorate.benchmarks.overload;

import io.quorate.benchmarks.cluster.DataDirectoryOption;
import io.quorate.benchmarks.cluster.Deployment;
import io.quorate.benchmarks.paper.report.PaperOutput;
import io.quorate.benchmarks.peers.contender.Contender;
import io.quorate.benchmarks.peers.contender.Programs;
import io.quorate.benchmarks.peers.contender.RunningContender;
import io.quorate.benchmarks.peers.contender.UnavailableException;
import io.quorate.benchmarks.peers.etcd.EtcdContender;
import io.quorate.benchmarks.peers.quorate.QuorateContender;
import io.quorate.benchmarks.report.Machine;
import io.quorate.benchmarks.report.OutputOptions;
import io.quorate.benchmarks.report.Report;
import io.quorate.server.cli.terminal.ProgressLine;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
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

/** {@code bench overload}: offers more load than a cluster can serve. */
@Command(
    name = "overload",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "What is served, what fails, and what a modest client sees, under more load than a cluster can"
          + " serve, beside etcd.",
      "Each is started on this machine, measured alone, and removed. The peak is that of"
          + " closed-loop clients; calls then start at random times at multiples of it, whether"
          + " earlier ones have ended or not; those to Quorate give up after a second. A modest client on a"
          + " connection of its own writes 1 KiB every 50 ms. The clients run on the same machine:"
          + " what they need is missing to the cluster. Takes about 5 minutes for each database and"
          + " length of values."
    })
public final class OverloadCommand implements Callable<Integer> {
  private static final String QUORATE = "quorate-";
  private static final String ETCD = "etcd";
  private static final int SECONDS_MAX = 3600;
  private static final int VALUE_BYTES_MAX = 1 << 20;
  private static final int HEAP_MEBIBYTES_MIN = 128;
  private static final int HEAP_MEBIBYTES_MAX = 65_536;

  @Spec private CommandSpec spec;

  @Option(
      names = "--contenders",
      split = ",",
      paramLabel = "NAME",
      defaultValue = "quorate-raft,quorate-acqr,etcd",
      description =
          "Which to measure: quorate-PRESET and etcd; a list (default: ${DEFAULT-VALUE}).")
  private List<String> names = List.of();

  @Option(
      names = "--value-bytes",
      split = ",",
      paramLabel = "BYTES",
      defaultValue = "1024,65536",
      description = "Lengths of the values; a list (default: ${DEFAULT-VALUE}).")
  private List<Integer> valueBytes = List.of();

  @Option(
      names = "--multiples",
      split = ",",
      paramLabel = "X",
      defaultValue = "0.5,1,2,5,10",
      description =
          "The loads, in multiples of the peak; an ascending list (default: ${DEFAULT-VALUE}).")
  private List<Double> multiples = List.of();

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "15",
      description =
          "Time of each load; the last one has four times that (default: ${DEFAULT-VALUE}).")
  private int seconds;

  @Option(
      names = "--warmup",
      paramLabel = "S",
      defaultValue = "30",
      description = "Time before the peak is measured (default: ${DEFAULT-VALUE}).")
  private int warmupSeconds;

  @Option(
      names = "--heap",
      paramLabel = "MIB",
      defaultValue = "512",
      description = "The heap of each node of Quorate (default: ${DEFAULT-VALUE}).")
  private int heapMebibytes;

  @Mixin private DataDirectoryOption data;
  @Mixin private OutputOptions output;

  @Override
  public Integer call() throws IOException, InterruptedException {
    require(seconds >= 1 && seconds <= SECONDS_MAX, "--seconds is from 1 to 3600.");
    require(warmupSeconds >= 0 && warmupSeconds <= SECONDS_MAX, "--warmup is from 0 to 3600.");
    require(
        heapMebibytes >= HEAP_MEBIBYTES_MIN && heapMebibytes <= HEAP_MEBIBYTES_MAX,
        "--heap is from 128 to 65536.");
    require(
        valueBytes.stream().allMatch(bytes -> bytes >= 1 && bytes <= VALUE_BYTES_MAX),
        "--value-bytes are from 1 to 1048576.");
    require(
        multiples.stream().sorted().distinct().toList().equals(multiples) && multiples.get(0) > 0,
        "--multiples are above 0 and ascend.");
    OverloadScale scale =
        new OverloadScale(
            Duration.ofSeconds(warmupSeconds),
            Duration.ofSeconds(seconds),
            Duration.ofSeconds(4L * seconds),
            multiples);
    List<String> notes = new ArrayList<>();
    List<OverloadResult> results = new ArrayList<>();
    Machine before = Machine.now();
    try (ProgressLine progress = ProgressLine.onStandardError()) {
      Programs programs =
          new Programs(Programs.defaultDirectory(), true, what -> progress.show(() -> what));
      for (Contender contender : names.stream().distinct().map(this::contender).toList()) {
        try {
          contender.prepare(programs);
        } catch (UnavailableException e) {
          notes.add(contender.name() + " is not measured: " + e.getMessage());
          continue;
        }
        notes.add(contender.name() + ": " + contender.description());
        for (int bytes : valueBytes) {
          results.add(measure(contender, bytes, scale, progress));
        }
      }
    }
    notes.add(String.format(Locale.ROOT, "The load average was %.2f before.", before.load()));
    report(new OverloadReport(results), notes);
    return 0;
  }

  private OverloadResult measure(
      Contender contender, int bytes, OverloadScale scale, ProgressLine progress)
      throws IOException, InterruptedException {
    Path parent = data.make();
    try (RunningContender running = contender.start(parent);
        OverloadTarget target = OverloadTarget.of(running)) {
      OverloadResult result =
          new OverloadRun(contender.name(), target, bytes, scale, progress).measure();
      running.requireAlive();
      return result;
    }
  }

  private Contender contender(String name) {
    if (name.equals(ETCD)) {
      return new EtcdContender();
    }
    require(
        name.startsWith(QUORATE),
        "There is no database \"" + name + "\"; there are quorate-PRESET and etcd.");
    return new QuorateContender(
        new Deployment(
            name.substring(QUORATE.length()), Map.of(), List.of("-Xmx" + heapMebibytes + "m")),
        1);
  }

  private void require(boolean condition, String sentence) {
    if (!condition) {
      throw new ParameterException(spec.commandLine(), sentence);
    }
  }

  private void report(OverloadReport report, List<String> notes) throws IOException {
    Machine machine = Machine.now();
    PaperOutput page = new PaperOutput("Overload", notes, report.tables(), report.plots());
    page.print(spec.commandLine().getOut(), machine);
    String command = String.join(" ", spec.root().commandLine().getParseResult().originalArgs());
    page.write(output, new Report(command, machine, report.rows()), OverloadReport.NAME);
  }
}
