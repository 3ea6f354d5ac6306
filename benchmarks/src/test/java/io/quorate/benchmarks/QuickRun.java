package io.quorate.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;

/**
 * A run of a measurement with {@code --quick} and all its output files.
 *
 * @param output the standard output
 * @param out the directory of the files
 * @param json the file of the figures
 */
public record QuickRun(String output, Path out, Path json) {

  /**
   * Runs the command, and asserts that it succeeds and deletes its data.
   *
   * @param options further options of the command
   */
  public static QuickRun of(Callable<Integer> command, Path directory, String... options)
      throws IOException {
    Path data = directory.resolve("data");
    Path out = directory.resolve("out");
    Path json = directory.resolve("figures.json");
    StringWriter output = new StringWriter();
    StringWriter errors = new StringWriter();

    List<String> arguments = new ArrayList<>(List.of(options));
    arguments.addAll(List.of("--quick", "--data", data.toString()));
    arguments.addAll(List.of("--out", out.toString(), "--json", json.toString()));

    int exitCode =
        new CommandLine(command)
            .setOut(new PrintWriter(output))
            .setErr(new PrintWriter(errors))
            .execute(arguments.toArray(String[]::new));

    assertThat(exitCode).as("%s%n%s", errors, output).isZero();
    try (Stream<Path> left = Files.list(data)) {
      assertThat(left).isEmpty();
    }
    return new QuickRun(output.toString(), out, json);
  }
}
