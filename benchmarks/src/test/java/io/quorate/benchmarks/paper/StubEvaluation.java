package io.quorate.benchmarks.paper;

import io.quorate.benchmarks.cluster.Deployment;
import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.ClientLoad;
import io.quorate.benchmarks.paper.experiment.Clusters;
import io.quorate.benchmarks.paper.experiment.Conditions;
import io.quorate.benchmarks.paper.experiment.Observation;
import io.quorate.benchmarks.paper.experiment.RunPlan;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.benchmarks.paper.measurement.CaseRunner;
import io.quorate.benchmarks.paper.report.Column;
import io.quorate.benchmarks.paper.report.EvaluationReport;
import io.quorate.benchmarks.paper.result.Comparison;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.benchmarks.paper.result.Results;
import io.quorate.benchmarks.paper.testbed.BandwidthLimit;
import io.quorate.server.cli.terminal.ProgressLine;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import picocli.CommandLine;

/** An evaluation of two cases without clusters. */
final class StubEvaluation extends Evaluation {
  private static final SystemUnderTest SYSTEM =
      new SystemUnderTest("system", new Deployment("raft"));

  /** The first case. */
  static final Case FIRST = of("stub-first");

  /** The second case. */
  static final Case SECOND = of("stub-second");

  private static final Comparison NONE =
      new Comparison() {
        @Override
        public Optional<SystemUnderTest> baseline(SystemUnderTest contender) {
          return Optional.empty();
        }

        @Override
        public OptionalDouble paper(Case measured, SystemUnderTest contender, Metric metric) {
          return OptionalDouble.empty();
        }
      };

  private final CaseRunner runner;

  /**
   * @param runner what measures the cases
   */
  StubEvaluation(CaseRunner runner) {
    super(
        new Paper("stub", "Stub", ""),
        new RunPlan(1, Duration.ZERO, Duration.ZERO, Duration.ZERO, Duration.ZERO),
        NONE,
        List.of(Column.count("ops/s", Metric.THROUGHPUT)));
    this.runner = runner;
  }

  private static Case of(String experiment) {
    return new Case(
        experiment,
        Clusters.of(1),
        Conditions.PLAIN,
        new ClientLoad(1, 0, 1, 1),
        List.of(SYSTEM),
        Observation.CALLS);
  }

  /** Adds a figure of a case. */
  static void measured(Case one, Results results) {
    results.add(one, SYSTEM, Map.of(Metric.THROUGHPUT, 42.0));
  }

  /** The command of this evaluation. */
  CommandLine command() {
    return new PaperCommand(this, this).commandLine();
  }

  @Override
  public List<Case> cases() {
    return List.of(FIRST, SECOND);
  }

  @Override
  public List<String> notes() {
    return List.of();
  }

  @Override
  public EvaluationReport report(Results results) {
    return emptyReport(results)
        .figures("First", FIRST.experiment())
        .figures("Second", SECOND.experiment());
  }

  @Override
  public CaseRunner runner(Path data, BandwidthLimit bandwidthLimit, ProgressLine progress) {
    return runner;
  }
}
