package io.quorate.benchmarks.paper;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import picocli.CommandLine;

/**
 * A run of a paper's command with {@code --quick} and all its output files.
 *
 * @param output the standard output
 * @param out the directory of the files
 * @param json the file of the figures
 */
public record QuickRun(String output, Path out, Path json) {

  /** Runs the command, and asserts that it succeeds and deletes its data. */
  public static QuickRun of(PaperCommand command, Path directory) throws IOException {
    Path data = directory.resolve("data");
    Path out = directory.resolve("out");
    Path json = directory.resolve("figures.json");
    StringWriter output = new StringWriter();

    int exitCode =
        new CommandLine(command)
            .setOut(new PrintWriter(output))
            .execute(
                "--quick",
                "--data",
                data.toString(),
                "--out",
                out.toString(),
                "--json",
                json.toString());

    assertThat(exitCode).isZero();
    try (Stream<Path> left = Files.list(data)) {
      assertThat(left).isEmpty();
    }
    return new QuickRun(output.toString(), out, json);
  }
}
