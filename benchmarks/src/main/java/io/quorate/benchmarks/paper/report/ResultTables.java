package io.quorate.benchmarks.paper.report;

import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.benchmarks.paper.result.Comparison;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.benchmarks.paper.result.RatioExpectation;
import io.quorate.benchmarks.paper.result.Results;
import io.quorate.benchmarks.paper.result.Rounds;
import io.quorate.server.cli.format.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/** Converts results to text tables. */
public final class ResultTables {
  private static final String NOTHING = "-";
  private static final double PERCENT = 100;

  private final Results results;
  private final Comparison comparison;
  private final List<Column> columns;

  /**
   * @param columns of every table of figures, from left to right
   */
  public ResultTables(Results results, Comparison comparison, List<Column> columns) {
    this.results = results;
    this.comparison = comparison;
    this.columns = List.copyOf(columns);
  }

  /** A table of the cases of one experiment, in which each system has the ratio to its baseline. */
  public TextTable figures(String experiment) {
    return figures(results.cases(experiment));
  }

  /** A table of some cases, without the columns that are empty for all of them. */
  public TextTable figures(List<Case> cases) {
    List<List<String>> lines = new ArrayList<>();
    for (Case each : cases) {
      lines.add(
          IntStream.range(0, columns.size() + 1).mapToObj(i -> i == 0 ? each.name() : "").toList());
      for (SystemUnderTest contender : each.contenders()) {
        lines.add(line(each, contender));
      }
    }
    int[] shownColumns =
        IntStream.rangeClosed(0, columns.size())
            .filter(i -> i == 0 || lines.stream().anyMatch(line -> hasContent(line.get(i))))
            .toArray();
    TextTable table =
        TextTable.ofFigures(
            IntStream.of(shownColumns)
                .mapToObj(i -> i == 0 ? "load" : columns.get(i - 1).heading())
                .toArray(String[]::new));
    for (List<String> line : lines) {
      table.add(IntStream.of(shownColumns).mapToObj(line::get).toArray(String[]::new));
    }
    return table;
  }

  private List<String> line(Case measured, SystemUnderTest contender) {
    List<String> line = new ArrayList<>();
    line.add("  " + contender.name());
    columns.forEach(column -> line.add(cell(measured, contender, column)));
    return line;
  }

  private static boolean hasContent(String cell) {
    return !cell.isEmpty() && !cell.equals(NOTHING);
  }

  private String cell(Case measured, SystemUnderTest contender, Column column) {
    Metric metric = column.metric();
    OptionalDouble value =
        switch (column.content()) {
          case MEDIAN -> of(measured, contender, metric, Rounds::median);
          case SPREAD -> of(measured, contender, metric, rounds -> rounds.spread() * PERCENT);
          case RATIO -> ratio(measured, contender, metric);
          case PAPER -> comparison.paper(measured, contender, metric);
        };
    return text(column.pattern(), value);
  }

  /**
   * A table of the measured expectations, with the measured ratio and whether it meets the
   * expectation.
   */
  public TextTable expectations(List<RatioExpectation> expectations) {
    TextTable table = TextTable.ofFigures("aim", "wished for", "measured", "verdict", "rounds");
    for (RatioExpectation expectation : expectations) {
      expectation
          .ratios(results)
          .ifPresent(
              ratios ->
                  table.add(
                      expectation.text(),
                      expectation.limitText(),
                      String.format(Locale.ROOT, "%.3f", ratios.median()),
                      expectation.isMet(ratios) ? "met" : "missed",
                      String.format(Locale.ROOT, "%.2f to %.2f", ratios.min(), ratios.max())));
    }
    return table;
  }

  /**
   * The median of a figure as text; a dash if there is none.
   *
   * @param rounds the figure; empty if it was not measured
   * @param pattern format of the number
   */
  public static String median(Optional<Rounds> rounds, String pattern) {
    return text(pattern, rounds.stream().mapToDouble(Rounds::median).findFirst());
  }

  private OptionalDouble of(
      Case measured, SystemUnderTest contender, Metric metric, ToDoubleFunction<Rounds> figure) {
    return results.of(measured, contender, metric).stream().mapToDouble(figure).findFirst();
  }

  private OptionalDouble ratio(Case measured, SystemUnderTest contender, Metric metric) {
    Optional<SystemUnderTest> baseline = comparison.baseline(contender);
    return baseline.isEmpty()
        ? OptionalDouble.empty()
        : results.ratio(measured, contender, baseline.get(), metric);
  }

  private static String text(String pattern, OptionalDouble value) {
    return value.isPresent() ? String.format(Locale.ROOT, pattern, value.getAsDouble()) : NOTHING;
  }
}
