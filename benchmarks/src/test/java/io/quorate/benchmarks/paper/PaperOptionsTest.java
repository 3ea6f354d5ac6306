package io.quorate.benchmarks.paper;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.benchmarks.paper.acqr.AcqrEvaluation;
import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.measurement.CaseRunner;
import io.quorate.server.localcluster.ClusterException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@Timeout(120)
class PaperOptionsTest {
  private static final String MEASURED = "measured";

  @TempDir private Path directory;

  private record Run(int exitCode, String output) {}

  private Run run(CaseRunner runner, String... options) {
    StringWriter output = new StringWriter();
    List<String> arguments =
        new ArrayList<>(List.of("--data", directory.toString(), "--out", out().toString()));
    arguments.addAll(List.of(options));
    int exitCode =
        new StubEvaluation(runner)
            .command()
            .setOut(new PrintWriter(output))
            .setErr(new PrintWriter(output))
            .execute(arguments.toArray(String[]::new));
    return new Run(exitCode, output.toString());
  }

  private Path out() {
    return directory.resolve("out");
  }

  @Test
  void anExperimentOfAnotherEvaluationIsRejectedBeforeAnythingStarts() {
    StringWriter errors = new StringWriter();

    int exitCode =
        AcqrEvaluation.command()
            .commandLine()
            .setErr(new PrintWriter(errors))
            .execute("--only", "acqr-writes,quorum-clients");

    assertThat(exitCode).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(errors.toString())
        .contains("There is no experiment quorum-clients in this evaluation")
        .contains("acqr-clients, acqr-read-ratio");
  }

  @Test
  void onlyTheSelectedExperimentsAreMeasured() {
    List<Case> measured = new ArrayList<>();

    Run run =
        run(
            (cases, results) -> {
              measured.addAll(cases);
              cases.forEach(each -> StubEvaluation.measured(each, results));
            },
            "--only",
            "stub-second");

    assertThat(run.exitCode()).isZero();
    assertThat(measured).containsExactly(StubEvaluation.SECOND);
    assertThat(run.output()).contains("Measured were only stub-second.", "Second", "42");
  }

  @Test
  void anUnexpectedFailureKeepsWhatWasMeasuredBefore() {
    Run run =
        run(
            (cases, results) -> {
              StubEvaluation.measured(StubEvaluation.FIRST, results);
              throw new IllegalStateException("the machine burns");
            });

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.output())
        .contains("42", "NOT ALL MEASURED, because of a failure: the machine burns");
    assertThat(out().resolve("stub.csv")).content().contains("stub-first").contains("42");
    assertThat(out().resolve("stub.html")).content().contains("the machine burns");
  }

  @Test
  void anInterruptKeepsWhatWasMeasuredBefore() {
    Run run =
        run(
            (cases, results) -> {
              StubEvaluation.measured(StubEvaluation.FIRST, results);
              Thread.currentThread().interrupt();
              new CountDownLatch(1).await();
            });

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.output()).contains("42", "NOT ALL MEASURED, because the run was interrupted.");
    assertThat(out().resolve("stub.csv")).content().contains("42");
  }

  @Test
  void aFailureBeforeTheFirstMeasurementIsThatOfTheCommand() {
    Run run =
        run(
            (cases, results) -> {
              throw new ClusterException("Node n1 has no disk.");
            });

    assertThat(run.exitCode()).isEqualTo(CommandLine.ExitCode.SOFTWARE);
    assertThat(run.output()).contains("Node n1 has no disk.");
    assertThat(out().resolve("stub.csv")).doesNotExist();
  }

  @Test
  void aDirectoryThatCannotBeWrittenIsReportedBeforeAnythingIsMeasured() throws IOException {
    Files.writeString(out(), "a file");
    List<Case> measured = new ArrayList<>();

    Run run = run((cases, results) -> measured.addAll(cases));

    assertThat(run.exitCode()).isEqualTo(CommandLine.ExitCode.SOFTWARE);
    assertThat(run.output()).contains(out() + " is no directory.");
    assertThat(measured).isEmpty();
  }

  /** As with SIGINT, the JVM runs its shutdown hooks. */
  @Test
  void aRunThatReceivesSigtermReportsWhatWasMeasuredBefore()
      throws IOException, InterruptedException {
    Path errors = directory.resolve("errors");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                PaperOptionsTest.class.getName(),
                "--data",
                directory.toString(),
                "--out",
                out().toString(),
                "--json",
                directory.resolve("figures.json").toString())
            .redirectError(errors.toFile())
            .start();
    try (BufferedReader output = process.inputReader()) {
      assertThat(output.readLine()).as(Files.readString(errors)).isEqualTo(MEASURED);

      // Unlike the method of the process, this leaves its output open.
      process.toHandle().destroy();

      assertThat(output.lines().toList())
          .anyMatch(line -> line.contains("42"))
          .contains("NOT ALL MEASURED, because the run was interrupted.");
      assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    assertThat(out().resolve("stub.csv")).content().contains("stub-first").contains("42");
    assertThat(out().resolve("stub.html")).content().contains("the run was interrupted");
    assertThat(directory.resolve("figures.json")).content().contains("stub-first");
  }

  /** Measures the first case, and then waits until it is interrupted. */
  public static void main(String[] arguments) {
    CaseRunner endless =
        (cases, results) -> {
          StubEvaluation.measured(StubEvaluation.FIRST, results);
          System.out.println(MEASURED);
          new CountDownLatch(1).await();
        };
    System.exit(new StubEvaluation(endless).command().execute(arguments));
  }
}
