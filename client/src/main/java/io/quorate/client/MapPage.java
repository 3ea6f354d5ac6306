package io.quorate.client;

import io.quorate.common.Nulls;
import io.quorate.model.Key;
import io.quorate.model.Position;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One page of a scan of a map: a consistent cut of one region.
 *
 * @param entries in key order, those of a reverse scan in the opposite order
 * @param continueAt as {@link ScanResult#continueAt}
 * @param position the position of the region that the page reflects
 */
public record MapPage<K, V>(
    List<Map.Entry<K, V>> entries, Optional<Key> continueAt, Position position) {
  public MapPage {
    Nulls.refuse(continueAt, "continueAt");
    Nulls.refuse(position, "position");
    entries = List.copyOf(Nulls.refuse(entries, "entries"));
  }
}
