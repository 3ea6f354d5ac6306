package io.quorate.benchmarks.report;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
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
   * Creates the directories of the requested files, so that a long measurement does not end with an
   * error that its beginning could have shown.
   *
   * @throws IOException if that fails, or a directory cannot be written
   */
  public void prepare() throws IOException {
    if (out.isPresent()) {
      prepare(out.get());
    }
    Optional<Path> parent = json.map(file -> file.toAbsolutePath().getParent());
    if (parent.isPresent()) {
      prepare(parent.get());
    }
  }

  private static void prepare(Path directory) throws IOException {
    try {
      Files.createDirectories(directory);
    } catch (FileAlreadyExistsException e) {
      throw new IOException(directory + " is no directory.", e);
    }
    if (!Files.isWritable(directory)) {
      throw new IOException(directory + " cannot be written.");
    }
  }

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
