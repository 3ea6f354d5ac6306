package io.quorate.client;

import io.quorate.common.Nulls;
import io.quorate.model.Key;
import io.quorate.model.Position;
import java.util.List;
import java.util.Optional;

/**
 * One page of a scan: a consistent cut of one region.
 *
 * @param rows the rows in key order, those of a reverse scan in the opposite order
 * @param continueAt the first key of the next page, or of a reverse scan the exclusive end of the
 *     next page; empty if the scan is complete
 * @param position the position of the region that the page reflects
 */
public record ScanResult(List<KeyValue> rows, Optional<Key> continueAt, Position position) {
  public ScanResult {
    Nulls.refuse(continueAt, "continueAt");
    Nulls.refuse(position, "position");
    rows = List.copyOf(Nulls.refuse(rows, "rows"));
  }
}
