package io.quorate.benchmarks.paper.acqr;

import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.benchmarks.paper.report.ResultTables;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.benchmarks.paper.result.Results;
import io.quorate.benchmarks.report.Row;
import io.quorate.server.cli.format.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The costs of a write, from the counters of the nodes, beside their theoretical values. */
final class Costs {
  private static final String EXPERIMENT = "acqr-costs";
  private static final String THEORY = "theory";
  private static final String PATTERN = "%.2f";

  private final Results results;
  private final AcqrSystems systems;

  Costs(Results results, AcqrSystems systems) {
    this.results = results;
    this.systems = systems;
  }

  TextTable table() {
    TextTable table =
        TextTable.ofFigures(
            "system and load",
            "commands a batch",
            "messages a batch",
            THEORY,
            "fsyncs a batch and replica",
            THEORY,
            "messages a command",
            "fsyncs a command",
            "fast path %",
            "delays, theory");
    for (Case each : cases()) {
      for (SystemUnderTest contender : each.contenders()) {
        theory(contender, each.replicas())
            .filter(theory -> results.of(each, contender, Metric.MESSAGES_PER_BATCH).isPresent())
            .ifPresent(
                theory ->
                    table.add(
                        contender + ", " + each.name(),
                        median(each, contender, Metric.COMMANDS_PER_BATCH, PATTERN),
                        median(each, contender, Metric.MESSAGES_PER_BATCH, PATTERN),
                        Integer.toString(theory.messages()),
                        median(each, contender, Metric.SYNCS_PER_BATCH, PATTERN),
                        Integer.toString(theory.syncs()),
                        median(each, contender, Metric.MESSAGES_PER_COMMAND, PATTERN),
                        median(each, contender, Metric.SYNCS_PER_COMMAND, PATTERN),
                        median(each, contender, Metric.FAST_PATH, "%.1f"),
                        Integer.toString(theory.delays())));
      }
    }
    return table;
  }

  private String median(Case measured, SystemUnderTest contender, Metric metric, String pattern) {
    return ResultTables.median(results.of(measured, contender, metric), pattern);
  }

  /** The figures with a theoretical value, which is their baseline. */
  List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    for (Case each : cases()) {
      for (SystemUnderTest contender : each.contenders()) {
        for (Metric metric : Metric.values()) {
          theory(contender, each.replicas())
              .flatMap(theory -> row(each, contender, metric, theory))
              .ifPresent(rows::add);
        }
      }
    }
    return rows;
  }

  private Optional<Row> row(
      Case measured, SystemUnderTest contender, Metric metric, Theory theory) {
    if (theory.of(metric).isEmpty()) {
      return Optional.empty();
    }
    double expected = theory.of(metric).getAsDouble();
    return results
        .of(measured, contender, metric)
        .map(
            rounds ->
                row(measured, contender, metric, rounds.median())
                    .against(THEORY, row(measured, contender, metric, expected)));
  }

  private static Row row(Case measured, SystemUnderTest contender, Metric metric, double value) {
    return new Row(
        EXPERIMENT, measured.name(), contender.name(), metric.label(), value, metric.unit());
  }

  private List<Case> cases() {
    return results.cases(AcqrEvaluation.WRITES);
  }

  private Optional<Theory> theory(SystemUnderTest contender, int replicas) {
    if (contender.equals(systems.owned())) {
      return Optional.of(Theory.ofOwned(replicas));
    }
    return contender.equals(systems.published())
        ? Optional.of(Theory.ofPublished(replicas))
        : Optional.empty();
  }
}
