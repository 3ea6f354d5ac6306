package io.quorate.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class TextTableTest {
  @Test
  void namesAreLeftAlignedAndFiguresRightAligned() {
    TextTable table = new TextTable("workload", "ops/s").add("put", "12345678").add("get it", "1");

    assertThat(table.render())
        .isEqualTo(
            """
            workload     ops/s
            put       12345678
            get it           1
            """);
  }

  @Test
  void aLineWithMissingCellsIsRefused() {
    assertThatThrownBy(() -> new TextTable("a", "b").add("1"))
        .hasMessage("A line has 2 cells, not 1.");
  }
}
