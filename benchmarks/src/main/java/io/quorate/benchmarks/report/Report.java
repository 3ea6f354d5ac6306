package io.quorate.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What one command measured.
 *
 * @param command as the user gave it
 * @param machine as it was when the command ended
 */
public record Report(String command, Machine machine, List<Row> rows) {
  public Report {
    rows = List.copyOf(rows);
  }

  /** Writes {@link ReportJson} to the file; its directory is made if there is none. */
  public void writeJson(Path file) throws IOException {
    write(file, ReportJson.of(this));
  }

  /** Writes {@link ReportCsv} to a file in the directory, which is made if there is none. */
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
