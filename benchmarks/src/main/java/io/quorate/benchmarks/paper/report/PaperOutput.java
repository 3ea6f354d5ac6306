package io.quorate.benchmarks.paper.report;

import io.quorate.benchmarks.plot.Plot;
import io.quorate.benchmarks.report.HtmlPage;
import io.quorate.benchmarks.report.Machine;
import io.quorate.benchmarks.report.OutputOptions;
import io.quorate.benchmarks.report.Report;
import io.quorate.server.cli.format.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Writes the findings of an experiment to the terminal and to the requested files.
 *
 * @param title of the page
 * @param notes that a reader needs to judge the figures, a sentence or a few each
 * @param tables by heading
 * @param plots by file name
 */
public record PaperOutput(
    String title, List<String> notes, Map<String, TextTable> tables, Map<String, Plot> plots) {

  /** Prints every table that has lines, the notes, and the machine. */
  public void print(PrintWriter out, Machine machine) {
    tables.forEach(
        (heading, table) -> {
          if (hasLines(table)) {
            out.printf(Locale.ROOT, "%s%n%s%n", heading, table.render());
          }
        });
    notes.forEach(out::println);
    out.println(text(machine));
    out.flush();
  }

  /**
   * Writes {@code NAME.csv}, {@code NAME.html} and the plots into the requested directory, and the
   * figures as JSON into the requested file.
   */
  public void write(OutputOptions options, Report report, String name) throws IOException {
    options.write(report, name);
    if (options.directory().isPresent()) {
      Path directory = options.directory().get();
      for (Map.Entry<String, Plot> plot : plots.entrySet()) {
        plot.getValue().write(directory, plot.getKey());
      }
      Files.writeString(directory.resolve(name + ".html"), page(report));
    }
  }

  private String page(Report report) {
    HtmlPage page = new HtmlPage(title);
    page.verbatim("./quorate " + report.command());
    page.paragraph(
        Instant.now().truncatedTo(ChronoUnit.SECONDS) + ". " + text(report.machine()) + ".");
    notes.forEach(page::paragraph);
    tables.forEach(
        (heading, table) -> {
          if (hasLines(table)) {
            page.heading(heading).table(table);
          }
        });
    page.heading("Plots");
    plots.values().forEach(plot -> page.figure(plot.svg()));
    return page.render();
  }

  private static boolean hasLines(TextTable table) {
    return table.lines().size() > 1;
  }

  private static String text(Machine machine) {
    return String.format(
        Locale.ROOT, "%d cores, load average %.2f", machine.cores(), machine.load());
  }
}
