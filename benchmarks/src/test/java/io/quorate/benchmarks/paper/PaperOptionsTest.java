package io.quorate.benchmarks.paper;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.benchmarks.paper.acqr.AcqrCommand;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class PaperOptionsTest {
  @Test
  void anExperimentOfAnotherEvaluationIsRejectedBeforeAnythingStarts() {
    StringWriter errors = new StringWriter();

    int exitCode =
        new CommandLine(new AcqrCommand())
            .setErr(new PrintWriter(errors))
            .execute("--only", "acqr-writes,quorum-clients");

    assertThat(exitCode).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(errors.toString())
        .contains("There is no experiment quorum-clients in this evaluation")
        .contains("acqr-clients, acqr-read-ratio");
  }
}
