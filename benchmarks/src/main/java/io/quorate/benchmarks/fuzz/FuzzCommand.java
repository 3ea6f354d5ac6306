package io.quorate.benchmarks.fuzz;

import io.quorate.benchmarks.report.Machine;
import io.quorate.benchmarks.report.OutputOptions;
import io.quorate.benchmarks.report.Report;
import io.quorate.benchmarks.report.Row;
import io.quorate.common.DurableFiles;
import io.quorate.server.cli.format.TextTable;
import io.quorate.server.cli.terminal.ProgressLine;
import io.quorate.torture.fuzz.FuzzSearch;
import io.quorate.torture.fuzz.FuzzTargets;
import io.quorate.torture.fuzz.Target;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Searches for inputs that break a decoder. */
@Command(
    name = "fuzz",
    mixinStandardHelpOptions = true,
    description = {
      "Search for bytes that break a decoder.",
      "Jazzer makes them: frames, records of logs, files.",
      "Exits with 0 if no decoder breaks a rule, with 1 otherwise. A broken rule is printed with"
          + " its input."
    })
public final class FuzzCommand implements Callable<Integer> {
  private static final int FOUND_EXIT_CODE = 1;
  private static final int BAR_WIDTH = 20;

  private final Search search;

  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "TARGET",
      arity = "0..*",
      description = "The decoders, such as operation or hello (default: all).")
  private List<String> names = List.of();

  @Option(
      names = "--inputs",
      paramLabel = "N",
      defaultValue = "100000",
      description = "The number of inputs of each decoder (default: ${DEFAULT-VALUE}).")
  private int inputs;

  @Option(
      names = "--seed",
      paramLabel = "S",
      defaultValue = "1",
      description = "The seed of the search (default: ${DEFAULT-VALUE}).")
  private int seed;

  @Mixin private OutputOptions output;

  /** As {@link FuzzSearch#run}. */
  interface Search {
    FuzzSearch.Outcome run(Target target, int inputs, int seed, Path directory)
        throws IOException, InterruptedException;
  }

  public FuzzCommand() {
    this(FuzzSearch::run);
  }

  FuzzCommand(Search search) {
    this.search = search;
  }

  @Override
  public Integer call() throws Exception {
    if (inputs < 1 || seed < 1) {
      throw usageError("--inputs and --seed must be at least 1.");
    }
    output.prepare();
    List<Target> targets =
        names.isEmpty() ? FuzzTargets.all() : names.stream().map(this::named).toList();
    TextTable table = TextTable.ofFigures("decoder", "branches", "broken rules");
    List<Row> rows = new ArrayList<>();
    List<String> findings = new ArrayList<>();
    try (ProgressLine progress = ProgressLine.onStandardError()) {
      for (Target target : targets) {
        double done = (double) rows.size() / 2 / targets.size();
        progress.show(() -> ProgressLine.bar(done, BAR_WIDTH) + " " + target.name());
        FuzzSearch.Outcome outcome = search(target);
        outcome.finding().ifPresent(findings::add);
        int broken = outcome.finding().isPresent() ? 1 : 0;
        table.add(target.name(), Integer.toString(outcome.edges()), Integer.toString(broken));
        rows.add(row(target, "branches", outcome.edges()));
        rows.add(row(target, "broken rules", broken));
      }
    }
    return print(table, rows, findings);
  }

  private FuzzSearch.Outcome search(Target target) throws IOException, InterruptedException {
    Path directory = Files.createTempDirectory("quorate-fuzz");
    try {
      return search.run(target, inputs, seed, directory);
    } finally {
      DurableFiles.deleteTree(directory);
    }
  }

  private int print(TextTable table, List<Row> rows, List<String> findings) throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    out.print(table.render());
    findings.forEach(out::println);
    out.printf(
        Locale.ROOT,
        "%s; %,d inputs of each decoder, seed %d%n",
        findings.isEmpty() ? "No rule is broken" : "A RULE IS BROKEN",
        inputs,
        seed);
    out.flush();
    String command = String.join(" ", spec.root().commandLine().getParseResult().originalArgs());
    output.write(new Report(command, Machine.now(), rows), spec.name());
    return findings.isEmpty() ? 0 : FOUND_EXIT_CODE;
  }

  private static Row row(Target target, String metric, int count) {
    return new Row("fuzz", target.name(), "jazzer", metric, count, "count");
  }

  private Target named(String name) {
    return FuzzTargets.named(name)
        .orElseThrow(
            () ->
                usageError(
                    "There is no decoder "
                        + name
                        + "; there are "
                        + String.join(", ", FuzzTargets.all().stream().map(Target::name).toList())
                        + "."));
  }

  private ParameterException usageError(String sentence) {
    return new ParameterException(spec.commandLine(), sentence);
  }
}
