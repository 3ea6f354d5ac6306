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
 * A paper's command that was run with {@code --quick} and everything written that it can write.
 *
 * @param told on standard output
 * @param out where the files are
 * @param json the figures for programs
 */
public record QuickRun(String told, Path out, Path json) {

  /** Runs it, and sees that it succeeds and leaves no data behind. */
  public static QuickRun of(PaperCommand command, Path directory) throws IOException {
    Path data = directory.resolve("data");
    Path out = directory.resolve("out");
    Path json = directory.resolve("figures.json");
    StringWriter told = new StringWriter();

    int exitCode =
        new CommandLine(command)
            .setOut(new PrintWriter(told))
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
    return new QuickRun(told.toString(), out, json);
  }
}
