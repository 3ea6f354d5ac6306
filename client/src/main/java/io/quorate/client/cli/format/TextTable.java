package io.quorate.client.cli.format;

import java.util.ArrayList;
import java.util.List;

/** Rows of text in columns that are as wide as their longest cell. */
public final class TextTable {
  private static final String GAP = "  ";

  private final List<List<String>> rows = new ArrayList<>();

  public TextTable(String... headings) {
    rows.add(List.of(headings));
  }

  /** Adds a row with one cell per heading. */
  public void row(Object... cells) {
    rows.add(List.of(cells).stream().map(Object::toString).toList());
  }

  @Override
  public String toString() {
    int columns = rows.get(0).size();
    StringBuilder text = new StringBuilder();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int column = 0; column < columns; column++) {
        line.append(row.get(column))
            .append(" ".repeat(width(column) - row.get(column).length()))
            .append(GAP);
      }
      text.append(line.toString().stripTrailing()).append('\n');
    }
    return text.toString();
  }

  private int width(int column) {
    return rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0);
  }
}
