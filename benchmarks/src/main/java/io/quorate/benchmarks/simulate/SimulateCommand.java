package io.quorate.benchmarks.simulate;

import io.quorate.benchmarks.report.Machine;
import io.quorate.benchmarks.report.OutputOptions;
import io.quorate.benchmarks.report.Report;
import io.quorate.benchmarks.report.Row;
import io.quorate.rabia.core.Mutation;
import io.quorate.server.cli.format.TextTable;
import io.quorate.server.cli.terminal.ProgressLine;
import io.quorate.torture.simulation.Coverage;
import io.quorate.torture.simulation.Runs;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs the core of Rabia under simulated faults, one run per seed. */
@Command(
    name = "simulate",
    mixinStandardHelpOptions = true,
    description = {
      "Run the core of Rabia and its quorum reads under simulated faults, one run per seed.",
      "Exits with 0 if no seed breaks a rule, with 1 otherwise. A broken rule is printed with its"
          + " seed; --seed alone replays that run and prints every event."
    })
public final class SimulateCommand implements Callable<Integer> {
  private static final int FOUND_EXIT_CODE = 1;
  private static final int BAR_WIDTH = 20;

  /** Keeps random first seeds short enough to type. */
  private static final long RANDOM_SEED_BOUND = 1_000_000_000L;

  @Spec private CommandSpec spec;

  @Option(names = "--seeds", paramLabel = "N", description = "The number of seeds to run.")
  private Optional<Integer> seeds = Optional.empty();

  @Option(
      names = "--seed",
      paramLabel = "S",
      description =
          "The first seed; without --seeds the only one, whose run is printed in full (default: a"
              + " new one).")
  private Optional<Long> seed = Optional.empty();

  @Option(
      names = "--mutation",
      paramLabel = "RULE",
      defaultValue = "NONE",
      description = "Break a rule to check that it is found: ${COMPLETION-CANDIDATES}.")
  private Mutation mutation;

  @Mixin private OutputOptions output;

  @Override
  public Integer call() throws Exception {
    if (seeds.isEmpty() && seed.isEmpty()) {
      throw usageError("Give --seeds, the number to run, or --seed, the one to replay.");
    }
    int count = seeds.orElse(1);
    if (count < 1) {
      throw usageError("--seeds must be at least 1, not " + count + ".");
    }
    long first = seed.orElseGet(() -> ThreadLocalRandom.current().nextLong(RANDOM_SEED_BOUND));
    Coverage coverage = new Coverage();
    Optional<Runs.Failure> failure =
        seeds.isEmpty() ? replay(first, coverage) : run(first, count, coverage);

    PrintWriter out = spec.commandLine().getOut();
    Machine machine = Machine.now();
    out.print(table(coverage));
    failure.ifPresent(out::println);
    out.printf(
        Locale.ROOT,
        "%s; seeds %d to %d; %d cores, load average %.2f%n",
        failure.isEmpty() ? "No rule is broken" : "A RULE IS BROKEN",
        first,
        first + count - 1,
        machine.cores(),
        machine.load());
    out.flush();
    String command = String.join(" ", spec.root().commandLine().getParseResult().originalArgs());
    output.write(new Report(command, machine, rows(coverage, failure)), spec.name());
    return failure.isEmpty() ? 0 : FOUND_EXIT_CODE;
  }

  private Optional<Runs.Failure> replay(long onlySeed, Coverage coverage) {
    PrintWriter out = spec.commandLine().getOut();
    return Runs.run(onlySeed, mutation, out::println, coverage);
  }

  private Optional<Runs.Failure> run(long first, int count, Coverage coverage) {
    try (ProgressLine progress = ProgressLine.onStandardError()) {
      return Runs.run(
          first,
          count,
          mutation,
          done -> progress.show(() -> line((double) done / count, done)),
          coverage);
    }
  }

  private static String line(double fraction, long done) {
    return String.format(Locale.ROOT, "%s %,d seeds", ProgressLine.bar(fraction, BAR_WIDTH), done);
  }

  private static String table(Coverage coverage) {
    TextTable table = TextTable.ofFigures("event", "count");
    coverage.counts().forEach((event, count) -> table.add(event, Long.toString(count)));
    return table.render();
  }

  private List<Row> rows(Coverage coverage, Optional<Runs.Failure> failure) {
    List<Row> rows = new ArrayList<>();
    coverage.counts().forEach((event, count) -> rows.add(row(event, count)));
    rows.add(row("seeds that break a rule", failure.isPresent() ? 1 : 0));
    return rows;
  }

  private Row row(String metric, double count) {
    return new Row("simulate", mutation.name(), "rabia", metric, count, "count");
  }

  private ParameterException usageError(String sentence) {
    return new ParameterException(spec.commandLine(), sentence);
  }
}
