package io.quorate.server.cli.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class TextTableTest {
  @Test
  void namesAreLeftAlignedAndFiguresRightAligned() {
    TextTable table =
        TextTable.ofFigures("workload", "ops/s").add("put", "12345678").add("get it", "1");

    assertThat(table.render())
        .isEqualTo(
            """
            workload     ops/s
            put       12345678
            get it           1
            """);
  }

  @Test
  void textsAreLeftAligned() {
    TextTable table = TextTable.ofTexts("A", "LONG").add("wide", "1").add("b", "x");

    assertThat(table.render()).isEqualTo("A     LONG\nwide  1\nb     x\n");
  }

  @Test
  void aLineWithMissingCellsIsRefused() {
    assertThatThrownBy(() -> TextTable.ofFigures("a", "b").add("1"))
        .hasMessage("A line has 2 cells, not 1.");
  }
}
