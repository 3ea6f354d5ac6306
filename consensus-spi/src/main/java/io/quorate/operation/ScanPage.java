package io.quorate.operation;

import io.quorate.consensus.Key;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/**
 * Part of a scan, from one region, as of one moment.
 *
 * @param rows in key order
 * @param continueAt where the next page starts; empty if the range or the region has no more rows
 */
public record ScanPage(List<Row> rows, Optional<Key> continueAt) {
  /**
   * @param value read between position and limit
   */
  public record Row(Key key, ByteBuffer value) {}

  public ScanPage {
    rows = List.copyOf(rows);
  }
}
