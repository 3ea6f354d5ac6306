package io.quorate.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The measurements of one command.
 *
 * @param command as entered by the user
 * @param machine its properties when the command ended
 */
public record Report(String command, Machine machine, List<Row> rows) {
  public Report {
    rows = List.copyOf(rows);
  }

  /** Writes {@link ReportJson} to the file; creates its directory if necessary. */
  public void writeJson(Path file) throws IOException {
    write(file, ReportJson.of(this));
  }

  /** Writes {@link ReportCsv} to a file in the directory; creates the directory if necessary. */
  public void writeCsv(Path directory, String fileName) throws IOException {
    write(directory.resolve(fileName), ReportCsv.of(this));
  }

  private static void write(Path file, String text) throws IOException {
    Path directory = file.toAbsolutePath().getParent();
    if (directory != null) {
      Files.createDirectories(directory);
    }
    Files.writeString(file, text);
  }
}
