package io.quorate.benchmarks.torture;

import io.quorate.benchmarks.report.Machine;
import io.quorate.benchmarks.report.OutputOptions;
import io.quorate.benchmarks.report.Report;
import io.quorate.benchmarks.report.Row;
import io.quorate.server.cli.terminal.ProgressLine;
import io.quorate.server.config.ClusterMode;
import io.quorate.server.config.Preset;
import io.quorate.server.localcluster.ClusterPlan.Shape;
import io.quorate.server.node.Engines;
import io.quorate.torture.canary.Canary;
import io.quorate.torture.nemesis.Nemeses;
import io.quorate.torture.nemesis.arena.Nemesis;
import io.quorate.torture.run.Seed;
import io.quorate.torture.run.Torture;
import io.quorate.torture.run.TortureOptions;
import io.quorate.torture.run.TortureResult;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Injects faults into a cluster under load and checks the histories of its clients. */
@Command(
    name = "torture",
    mixinStandardHelpOptions = true,
    description = {
      "Inject faults into a cluster under load and check that it is linearizable.",
      "A cluster is started for it and removed afterwards. Exits with 0 if every history is"
          + " linearizable and the cluster recovered after every fault, with 1 otherwise."
    })
public final class TortureCommand implements Callable<Integer> {
  private static final String EVERY_PRESET = "all";
  private static final int FOUND_EXIT_CODE = 1;
  private static final int NOT_CAUGHT_EXIT_CODE = 1;
  private static final int NODES_MAX = 9;

  /** Every node leads several, which it has to hand over at once. */
  private static final int REGIONS = 12;

  private static final int MINUTES_MAX = 7 * 24 * 60;
  private static final int TICK_MILLIS = 100;
  private static final int BAR_WIDTH = 20;
  private static final double SECONDS_PER_MINUTE = 60;

  @Spec private CommandSpec spec;

  @Option(
      names = "--preset",
      paramLabel = "P",
      defaultValue = "raft",
      description =
          "The preset of the cluster, or \"all\" for every preset with linearizable reads, one"
              + " after the other (default: ${DEFAULT-VALUE}).")
  private String preset;

  @Option(
      names = "--nodes",
      paramLabel = "N",
      defaultValue = "3",
      description = "Nodes of the cluster (default: ${DEFAULT-VALUE}).")
  private int nodes;

  @Option(
      names = "--secure",
      description = "Encrypt all connections, with certificates of nodes and of the clients.")
  private boolean isSecure;

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      description =
          "A key of its configuration to override, such as cluster.replicas=5 (default: 3 replicas).")
  private Map<String, String> settings = new LinkedHashMap<>();

  @Option(
      names = "--minutes",
      paramLabel = "M",
      defaultValue = "5",
      description =
          "The time, for all presets together, after which no further round starts; may be a"
              + " fraction (default: ${DEFAULT-VALUE}). A warm-up of 15 s comes before, for each"
              + " preset, if faults are requested that leave a majority healthy.")
  private double minutes;

  @Option(
      names = "--seed",
      paramLabel = "S",
      description = "Repeat the schedule of an earlier run, such as 11-8472 (default: a new one).")
  private Optional<String> seed = Optional.empty();

  @Option(
      names = "--nemesis",
      split = ",",
      paramLabel = "NAME",
      description = "The kinds of fault to inject; a list (default: all).")
  private List<String> nemeses = List.of();

  @Option(
      names = "--gap-max",
      paramLabel = "MS",
      defaultValue = "2000",
      description =
          "Maximum milliseconds without a successful write to a region while a majority is healthy"
              + " (default: ${DEFAULT-VALUE}).")
  private long gapMaxMillis;

  @Option(
      names = "--canary",
      paramLabel = "NAME",
      description =
          "Break a safety rule in every node, and inject the faults that reveal it. Exits with 0 as"
              + " soon as a violation or a lost value is found, with 1 if none is found.")
  private Optional<String> canary = Optional.empty();

  @Option(
      names = "--keep",
      paramLabel = "DIR",
      description =
          "Keep histories and logs in this new or empty directory (default: a temporary one, kept"
              + " only if something is found).")
  private Optional<Path> keep = Optional.empty();

  @Mixin private OutputOptions output;

  @Override
  public Integer call() throws Exception {
    List<TortureOptions> all = new ArrayList<>();
    List<String> presets = preset.equals(EVERY_PRESET) ? presets() : List.of(preset);
    for (String name : presets) {
      requireLinearizable(name);
      all.add(options(name, minutes / presets.size()));
    }
    Map<String, TortureResult> results = new LinkedHashMap<>();
    for (TortureOptions options : all) {
      results.put(options.shape().preset(), torture(options));
    }
    if (results.size() > 1) {
      show(TortureReport.summary(results));
    }
    List<Row> rows = new ArrayList<>();
    results.forEach((name, result) -> rows.addAll(TortureReport.rows(name, result)));
    String command = String.join(" ", spec.root().commandLine().getParseResult().originalArgs());
    output.write(new Report(command, Machine.now(), rows), spec.name());
    return canary.isPresent() ? canaryExitCode(results.values()) : exitCode(results.values());
  }

  private static int exitCode(Collection<TortureResult> results) {
    return results.stream().allMatch(TortureResult::isPass) ? 0 : FOUND_EXIT_CODE;
  }

  private int canaryExitCode(Collection<TortureResult> results) {
    boolean isRevealedByFault =
        canary.flatMap(Canary::labelled).filter(Canary::isRevealedByFault).isPresent();
    boolean caught =
        results.stream()
            .allMatch(result -> result.isUnsafe() || isRevealedByFault && !result.isPass());
    show(
        String.format(
            Locale.ROOT,
            "Canary %s: %s%n",
            canary.orElseThrow(),
            caught ? "caught" : "NOT CAUGHT"));
    return caught ? 0 : NOT_CAUGHT_EXIT_CODE;
  }

  /** The presets with linearizable reads, one for each combination of settings. */
  private static List<String> presets() {
    Map<ClusterMode, String> byMode = new LinkedHashMap<>();
    Engines.presets().stream()
        .filter(candidate -> candidate.mode().reads().isLinearizable())
        .forEach(candidate -> byMode.putIfAbsent(candidate.mode(), candidate.name()));
    return List.copyOf(byMode.values());
  }

  /**
   * Rejects a preset without linearizable reads, because histories are checked for linearizability.
   */
  private void requireLinearizable(String name) {
    Preset.named(name)
        .filter(named -> !named.mode().reads().isLinearizable())
        .ifPresent(
            named -> {
              throw new ParameterException(
                  spec.commandLine(),
                  "Preset "
                      + name
                      + " does not guarantee linearizable reads, which torture checks; choose one"
                      + " of "
                      + presets()
                      + ".");
            });
  }

  private TortureResult torture(TortureOptions options) throws Exception {
    TortureResult result = run(new Torture(options), options);
    show(
        String.format(
            Locale.ROOT,
            "Preset %s%n%n%s",
            options.shape().preset(),
            TortureReport.text(result, Machine.now())));
    return result;
  }

  private void show(String text) {
    PrintWriter out = spec.commandLine().getOut();
    out.print(text);
    out.flush();
  }

  private TortureResult run(Torture torture, TortureOptions options) throws Exception {
    ExecutorService executor = Executors.newSingleThreadExecutor();
    try (ProgressLine progress = ProgressLine.onStandardError()) {
      Future<TortureResult> running = executor.submit(torture::run);
      while (true) {
        try {
          return running.get(TICK_MILLIS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
          progress.show(() -> line(torture.progress(), options));
        }
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Exception failure) {
        throw failure;
      }
      throw e;
    } finally {
      executor.shutdownNow();
    }
  }

  private static String line(Torture.Progress progress, TortureOptions options) {
    double fraction = (double) progress.elapsed().toMillis() / options.time().toMillis();
    return String.format(
        Locale.ROOT,
        "%s round %d, %,d operations, seed %s: %s",
        ProgressLine.bar(fraction, BAR_WIDTH),
        progress.round(),
        progress.operations(),
        options.seed(),
        progress.stage());
  }

  private TortureOptions options(String presetName, double presetMinutes) throws IOException {
    if (nodes < 1 || nodes > NODES_MAX) {
      throw usageError("--nodes must be from 1 to " + NODES_MAX + ", not " + nodes + ".");
    }
    if (!(minutes > 0 && minutes <= MINUTES_MAX)) {
      throw usageError(
          "--minutes must be above 0 and at most " + MINUTES_MAX + ", not " + minutes + ".");
    }
    if (gapMaxMillis < 1) {
      throw usageError("--gap-max must be at least 1 millisecond, not " + gapMaxMillis + ".");
    }
    if (keep.isPresent() && Files.exists(keep.get())) {
      requireEmpty(keep.get());
    }
    Optional<Canary> chosenCanary = canary.map(this::labelled);
    chosenCanary.ifPresent(chosen -> requireEngine(chosen, presetName));
    chosenCanary.ifPresent(chosen -> requireCoding(chosen, presetName));
    return new TortureOptions(
        new Shape(nodes, REGIONS, presetName).withSecurity(isSecure),
        settings,
        Duration.ofMillis(Math.round(presetMinutes * SECONDS_PER_MINUTE * 1000)),
        seed.map(this::parse).orElseGet(Seed::random),
        chosen(chosenCanary),
        Duration.ofMillis(gapMaxMillis),
        chosenCanary,
        keep.map(
            directory -> preset.equals(EVERY_PRESET) ? directory.resolve(presetName) : directory));
  }

  private void requireEngine(Canary chosen, String presetName) {
    Optional<String> engine = Preset.named(presetName).map(named -> named.mode().engine());
    if (chosen.engine().isPresent() && !chosen.engine().equals(engine)) {
      throw usageError(
          "--canary "
              + chosen.label()
              + " breaks a rule of engine "
              + chosen.engine().get()
              + ", which preset "
              + presetName
              + " does not use.");
    }
  }

  private void requireCoding(Canary chosen, String presetName) {
    boolean isCoded =
        Preset.named(presetName)
            .filter(named -> named.mode().replication() == ClusterMode.Replication.CODED)
            .isPresent();
    if (chosen.requiresCoding() && !isCoded) {
      throw usageError(
          "--canary "
              + chosen.label()
              + " breaks a rule of coded replication, which preset "
              + presetName
              + " does not use; --preset craft does.");
    }
  }

  private void requireEmpty(Path directory) throws IOException {
    boolean empty;
    if (Files.isDirectory(directory)) {
      try (Stream<Path> entries = Files.list(directory)) {
        empty = entries.findAny().isEmpty();
      }
    } else {
      empty = false;
    }
    if (!empty) {
      throw usageError("--keep requires a new or empty directory, which " + directory + " is not.");
    }
  }

  private Seed parse(String text) {
    try {
      return Seed.parse(text);
    } catch (IllegalArgumentException e) {
      throw usageError(e.getMessage());
    }
  }

  private Canary labelled(String label) {
    return Canary.labelled(label)
        .orElseThrow(
            () ->
                usageError(
                    "--canary accepts one of "
                        + Canary.labels()
                        + "; there is no \""
                        + label
                        + "\"."));
  }

  private List<Nemesis> chosen(Optional<Canary> chosenCanary) {
    List<String> names =
        nemeses.isEmpty() ? chosenCanary.map(Canary::nemeses).orElse(List.of()) : nemeses;
    if (names.isEmpty()) {
      return Nemeses.ALL;
    }
    List<Nemesis> chosen = new ArrayList<>();
    for (String name : names) {
      chosen.add(
          Nemeses.named(name)
              .orElseThrow(
                  () ->
                      usageError(
                          "--nemesis accepts the names "
                              + Nemeses.names()
                              + "; there is no \""
                              + name
                              + "\".")));
    }
    return chosen.stream().distinct().toList();
  }

  private ParameterException usageError(String sentence) {
    return new ParameterException(spec.commandLine(), sentence);
  }
}
