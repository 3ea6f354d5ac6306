package io.quorate.benchmarks.torture;

import io.quorate.benchmarks.report.Machine;
import io.quorate.benchmarks.report.OutputOptions;
import io.quorate.benchmarks.report.Report;
import io.quorate.benchmarks.report.Row;
import io.quorate.client.cli.ProgressLine;
import io.quorate.server.config.ClusterMode;
import io.quorate.server.config.Preset;
import io.quorate.server.localcluster.ClusterPlan.Shape;
import io.quorate.server.node.Engines;
import io.quorate.server.verification.canary.Canary;
import io.quorate.server.verification.nemesis.Nemeses;
import io.quorate.server.verification.nemesis.Nemesis;
import io.quorate.server.verification.torture.Seed;
import io.quorate.server.verification.torture.Torture;
import io.quorate.server.verification.torture.TortureOptions;
import io.quorate.server.verification.torture.TortureResult;
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
          + " linearizable and the cluster came back after every fault, with 1 otherwise."
    })
public final class TortureCommand implements Callable<Integer> {
  private static final String EVERY_PRESET = "all";
  private static final int FOUND = 1;
  private static final int NOT_CAUGHT = 1;
  private static final int NODES_MAX = 9;
  private static final int REGIONS = 3;
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
          "How replicas agree, or \"all\" for every preset there is, one after the other (default:"
              + " ${DEFAULT-VALUE}).")
  private String preset;

  @Option(
      names = "--nodes",
      paramLabel = "N",
      defaultValue = "3",
      description = "Nodes of the cluster (default: ${DEFAULT-VALUE}).")
  private int nodes;

  @Option(
      names = "--minutes",
      paramLabel = "M",
      defaultValue = "5",
      description =
          "After so long no further round begins, all presets together; may be a fraction (default:"
              + " ${DEFAULT-VALUE}).")
  private double minutes;

  @Option(
      names = "--seed",
      paramLabel = "S",
      description = "Repeat the schedule of an earlier run, such as 3-8472 (default: a new one).")
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
          "How many milliseconds no write to a region may succeed while a majority is well"
              + " (default: ${DEFAULT-VALUE}).")
  private long gapMaxMillis;

  @Option(
      names = "--canary",
      paramLabel = "NAME",
      description =
          "Break a safety rule in every node, under the faults that show it. Exits with 0 as soon"
              + " as a violation is found, with 1 if none is.")
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
    for (String one : presets) {
      requireLinearizable(one);
      all.add(options(one, minutes / presets.size()));
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
    return canary.isPresent() ? exitOfCanary(results.values()) : exit(results.values());
  }

  private static int exit(Collection<TortureResult> results) {
    return results.stream().allMatch(TortureResult::isPass) ? 0 : FOUND;
  }

  private int exitOfCanary(Collection<TortureResult> results) {
    boolean caught =
        results.stream().allMatch(result -> result.verdict() == TortureResult.Verdict.VIOLATION);
    show(
        String.format(
            Locale.ROOT,
            "Canary %s: %s%n",
            canary.orElseThrow(),
            caught ? "caught" : "NOT CAUGHT"));
    return caught ? 0 : NOT_CAUGHT;
  }

  /** The presets with linearizable reads, one for each combination of settings. */
  private static List<String> presets() {
    Map<ClusterMode, String> byKnobs = new LinkedHashMap<>();
    Engines.presets().stream()
        .filter(one -> one.mode().reads().isLinearizable())
        .forEach(one -> byKnobs.putIfAbsent(one.mode(), one.name()));
    return List.copyOf(byKnobs.values());
  }

  /**
   * Rejects a preset without linearizable reads, because histories are checked for linearizability.
   */
  private void requireLinearizable(String name) {
    Preset.named(name)
        .filter(one -> !one.mode().reads().isLinearizable())
        .ifPresent(
            one -> {
              throw new ParameterException(
                  spec.commandLine(),
                  "Preset "
                      + name
                      + " does not promise linearizable reads, which is what is checked here;"
                      + " choose one of "
                      + presets()
                      + ".");
            });
  }

  private TortureResult torture(TortureOptions options) throws Exception {
    TortureResult result = run(new Torture(options), options);
    show(
        String.format(
            "Preset %s%n%n%s",
            options.shape().preset(), TortureReport.text(result, Machine.now())));
    return result;
  }

  private void show(String text) {
    PrintWriter out = spec.commandLine().getOut();
    out.print(text);
    out.flush();
  }

  private TortureResult run(Torture torture, TortureOptions options) throws Exception {
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (ProgressLine progress = ProgressLine.onStandardError()) {
      Future<TortureResult> running = thread.submit(torture::run);
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
      thread.shutdownNow();
    }
  }

  private static String line(Torture.Progress progress, TortureOptions options) {
    double part = (double) progress.elapsed().toMillis() / options.time().toMillis();
    return String.format(
        Locale.ROOT,
        "%s round %d, %,d operations, seed %s: %s",
        ProgressLine.bar(part, BAR_WIDTH),
        progress.round(),
        progress.operations(),
        options.seed(),
        progress.stage());
  }

  private TortureOptions options(String ofPreset, double minutesOfPreset) throws IOException {
    if (nodes < 1 || nodes > NODES_MAX) {
      throw usageError("--nodes is from 1 to " + NODES_MAX + ", not " + nodes + ".");
    }
    if (!(minutes > 0 && minutes <= MINUTES_MAX)) {
      throw usageError(
          "--minutes is above 0 and at most " + MINUTES_MAX + ", not " + minutes + ".");
    }
    if (gapMaxMillis < 1) {
      throw usageError("--gap-max is 1 or more milliseconds, not " + gapMaxMillis + ".");
    }
    if (keep.isPresent() && Files.exists(keep.get())) {
      requireEmpty(keep.get());
    }
    Optional<Canary> chosenCanary = canary.map(this::labelled);
    chosenCanary.ifPresent(broken -> requireEngine(broken, ofPreset));
    return new TortureOptions(
        new Shape(nodes, REGIONS, ofPreset),
        Duration.ofMillis(Math.round(minutesOfPreset * SECONDS_PER_MINUTE * 1000)),
        seed.map(this::parse).orElseGet(Seed::random),
        chosen(chosenCanary),
        Duration.ofMillis(gapMaxMillis),
        chosenCanary,
        keep.map(
            directory -> preset.equals(EVERY_PRESET) ? directory.resolve(ofPreset) : directory));
  }

  private void requireEngine(Canary broken, String ofPreset) {
    Optional<String> engine = Preset.named(ofPreset).map(named -> named.mode().engine());
    if (broken.engine().isPresent() && !broken.engine().equals(engine)) {
      throw usageError(
          "--canary "
              + broken.label()
              + " breaks a rule of engine "
              + broken.engine().get()
              + ", which preset "
              + ofPreset
              + " does not have.");
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
      throw usageError("--keep takes a new or an empty directory, which " + directory + " is not.");
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
                    "--canary takes one of "
                        + Canary.labels()
                        + "; there is no \""
                        + label
                        + "\"."));
  }

  private List<Nemesis> chosen(Optional<Canary> broken) {
    List<String> names =
        nemeses.isEmpty() ? broken.map(Canary::nemeses).orElse(List.of()) : nemeses;
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
                          "--nemesis takes names out of "
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
