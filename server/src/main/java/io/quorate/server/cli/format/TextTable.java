package io.quorate.server.cli.format;

import java.util.ArrayList;
import java.util.List;

/** A text table, whose columns are as wide as their longest cell. */
public final class TextTable {
  private static final String GAP = "  ";

  private final boolean hasFigures;
  private final int columns;
  private final List<List<String>> lines = new ArrayList<>();

  private TextTable(boolean hasFigures, String... names) {
    this.hasFigures = hasFigures;
    this.columns = names.length;
    lines.add(List.of(names));
  }

  /** A table of texts: all columns are aligned left. */
  public static TextTable ofTexts(String... names) {
    return new TextTable(false, names);
  }

  /** A table of named figures: the first column is aligned left, all others right. */
  public static TextTable ofFigures(String... names) {
    return new TextTable(true, names);
  }

  /**
   * Adds a line with one cell per column.
   *
   * @throws IllegalArgumentException if there are more or fewer cells
   */
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
        row.append(i == 0 ? "" : GAP);
        row.append(hasFigures && i > 0 ? padding + line.get(i) : line.get(i) + padding);
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
