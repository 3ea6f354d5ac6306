package io.quorate.storage.read;

import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.storage.rocks.Database;
import io.quorate.storage.rocks.Family;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * How much a region has, and where it divides, from estimates of the database. Any thread; reads
 * the indexes of tables, and no more than the first and the last row.
 */
public final class RegionExtent {
  private final Database database;
  private final RowsGate gate;
  private final Family family;
  private final Supplier<KeyRange> range;
  private final LongSupplier bodyBytes;

  /**
   * @param range returns the keys of the region
   * @param bodyBytes returns what this node holds of the bodies; 0 while it is not known
   */
  public RegionExtent(
      Database database,
      RowsGate gate,
      Family family,
      Supplier<KeyRange> range,
      LongSupplier bodyBytes) {
    this.database = database;
    this.gate = gate;
    this.family = family;
    this.range = range;
    this.bodyBytes = bodyBytes;
  }

  /**
   * The approximate size of the region's rows in bytes, in memory and on disk, with what this node
   * holds of its bodies; without these until garbage was searched for since a start or a split; 0
   * while the rows cannot be read.
   */
  public long bytes() {
    try {
      return gate.reading(this::approximateBytes);
    } catch (UncheckedIOException e) {
      // No rows to measure: the region is not open, or is between two states.
      return 0;
    }
  }

  private long approximateBytes() throws IOException {
    KeyRange present = range.get();
    byte[] start = present.start().bytes();
    Optional<byte[]> end =
        present.end().isPresent()
            ? present.end().map(Key::bytes)
            : database.lastKey(family, start).map(last -> Key.wrap(last).next().bytes());
    long ofRows = end.isPresent() ? database.approximateBytes(family, start, end.get()) : 0;
    return ofRows + bodyBytes.getAsLong();
  }

  /**
   * A key with a row that divides the region's rows in parts of about equal size; empty if there
   * are not two rows, or they cannot be read.
   */
  public Optional<Key> middleKey() {
    return middleOf(range.get());
  }

  private Optional<Key> middleOf(KeyRange part) {
    try {
      return gate.reading(
          () ->
              database
                  .middleKey(family, part.start().bytes(), part.end().map(Key::bytes))
                  .map(Key::wrap));
    } catch (UncheckedIOException e) {
      // As above.
      return Optional.empty();
    }
  }

  /**
   * The keys, in ascending order, that divide the region's rows in parts of about equal size.
   *
   * @param halvings how often each part is divided again
   * @return fewer than 2 to the power of {@code halvings}, none if the rows cannot be read
   */
  public List<Key> bounds(int halvings) {
    List<Key> bounds = new ArrayList<>();
    divide(range.get(), halvings, bounds);
    return bounds;
  }

  private void divide(KeyRange part, int halvings, List<Key> bounds) {
    if (halvings == 0) {
      return;
    }
    Optional<Key> middle = middleOf(part);
    if (middle.isPresent()) {
      divide(KeyRange.of(part.start(), middle.get()), halvings - 1, bounds);
      bounds.add(middle.get());
      divide(new KeyRange(middle.get(), part.end()), halvings - 1, bounds);
    }
  }
}
