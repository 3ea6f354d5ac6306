package io.quorate.benchmarks.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options of every measurement for its output files. */
public final class OutputOptions {
  @Option(names = "--json", paramLabel = "FILE", description = "Write the figures as JSON.")
  private Optional<Path> json = Optional.empty();

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description =
          "Write the figures as CSV into this directory, and plots and a page with them where there"
              + " are any.")
  private Optional<Path> out = Optional.empty();

  /**
   * Writes the requested files.
   *
   * @param name of the measurement, and of its file in the directory
   */
  public void write(Report report, String name) throws IOException {
    if (json.isPresent()) {
      report.writeJson(json.get());
    }
    if (out.isPresent()) {
      report.writeCsv(out.get(), name + ".csv");
    }
  }

  /** The requested directory. */
  public Optional<Path> directory() {
    return out;
  }
}
