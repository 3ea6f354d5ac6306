package io.quorate.benchmarks.report;

import java.util.ArrayList;
import java.util.List;

/** A text table: the first column is aligned left, all others right. */
public final class TextTable {
  private static final String GAP = "  ";

  private final int columns;
  private final List<List<String>> lines = new ArrayList<>();

  public TextTable(String... names) {
    columns = names.length;
    lines.add(List.of(names));
  }

  /** Adds a line with one cell per column. */
  public TextTable add(String... cells) {
    if (cells.length != columns) {
      throw new IllegalArgumentException(
          "A line has " + columns + " cells, not " + cells.length + ".");
    }
    lines.add(List.of(cells));
    return this;
  }

  /** The table; every line ends with a line feed. */
  public String render() {
    int[] widths = new int[columns];
    for (List<String> line : lines) {
      for (int i = 0; i < columns; i++) {
        widths[i] = Math.max(widths[i], line.get(i).length());
      }
    }
    StringBuilder text = new StringBuilder();
    for (List<String> line : lines) {
      StringBuilder row = new StringBuilder();
      for (int i = 0; i < columns; i++) {
        String padding = " ".repeat(widths[i] - line.get(i).length());
        row.append(i == 0 ? line.get(i) + padding : GAP + padding + line.get(i));
      }
      text.append(row.toString().stripTrailing()).append('\n');
    }
    return text.toString();
  }

  /** The column names, then the cells of each line. */
  public List<List<String>> lines() {
    return List.copyOf(lines);
  }
}
