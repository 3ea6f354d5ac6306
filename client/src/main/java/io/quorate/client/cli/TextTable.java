package io.quorate.client.cli;

import java.util.ArrayList;
import java.util.List;

/** Rows of text in columns that are as wide as they need to be. */
final class TextTable {
  private static final String GAP = "  ";

  private final List<List<String>> rows = new ArrayList<>();

  TextTable(String... heads) {
    rows.add(List.of(heads));
  }

  /** Adds a row with as many cells as there are heads. */
  void row(Object... cells) {
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
