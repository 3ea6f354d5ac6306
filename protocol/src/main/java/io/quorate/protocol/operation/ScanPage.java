package io.quorate.protocol.operation;

import io.quorate.model.Key;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/**
 * A page of a scan: rows of one region at one moment.
 *
 * @param rows the rows in the order of the scan
 * @param continueAt the bound from which the next page continues: its start, or its exclusive end
 *     if the scan is in reverse order; empty if there are no more rows in the range or in the
 *     region
 */
public record ScanPage(List<Row> rows, Optional<Key> continueAt) {
  /**
   * A key with its value.
   *
   * @param value the bytes between position and limit
   */
  public record Row(Key key, ByteBuffer value) {}

  public ScanPage {
    rows = List.copyOf(rows);
  }
}
