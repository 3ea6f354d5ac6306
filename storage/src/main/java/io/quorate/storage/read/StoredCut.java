package io.quorate.storage.read;

import io.quorate.model.Key;
import io.quorate.model.Position;
import io.quorate.storage.command.StoredValue;
import java.util.List;
import java.util.Optional;

/**
 * A consistent page of a region at one position, whose values may be bodies.
 *
 * @param rows the rows in the order of the scan
 * @param continueAt as in {@link io.quorate.protocol.operation.ScanPage}
 * @param position the page contains every change up to it, and none beyond
 */
public record StoredCut(List<Row> rows, Optional<Key> continueAt, Position position) {
  /** A key with what is stored as its value. */
  public record Row(Key key, StoredValue value) {}

  public StoredCut {
    rows = List.copyOf(rows);
  }
}
