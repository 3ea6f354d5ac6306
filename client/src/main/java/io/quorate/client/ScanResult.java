package io.quorate.client;

import io.quorate.consensus.Position;
import java.util.List;
import java.util.Optional;

/**
 * One page of a scan: a consistent cut of one region.
 *
 * @param rows in key order
 * @param continueAt where the next page starts; empty if the scan is complete
 * @param position the region's position that the page reflects
 */
public record ScanResult(List<KeyValue> rows, Optional<byte[]> continueAt, Position position) {
  public ScanResult {
    rows = List.copyOf(rows);
  }
}
