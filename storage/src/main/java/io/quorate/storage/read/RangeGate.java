package io.quorate.storage.read;

import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import java.io.UncheckedIOException;
import java.util.function.Supplier;

/**
 * Admits readings of keys that a region has, while its rows are not replaced, and refuses those of
 * other keys. Any thread; does not wait.
 *
 * <p>The range is checked after the reading, without which one that began before a split could
 * return what another region has written since: the child begins when the range of this region no
 * longer has its keys. Keys that are in the range after the reading were therefore in it all the
 * time. A snapshot replaces range and rows while nothing is read.
 */
public final class RangeGate {
  private final RowsGate rows;
  private final GroupId region;
  private final Supplier<KeyRange> range;

  /**
   * @param range the keys of the region as of the newest readable position
   */
  public RangeGate(RowsGate rows, GroupId region, Supplier<KeyRange> range) {
    this.rows = rows;
    this.region = region;
    this.range = range;
  }

  /**
   * Reads the rows of one key on the calling thread.
   *
   * @throws OutOfRangeException if the region does not have the key when it was read
   * @throws UncheckedIOException as {@link RowsGate#reading}
   * @throws IllegalStateException as {@link RowsGate#reading}
   */
  public <T> T reading(Key key, RowsGate.Reading<T> reading) {
    return rows.reading(
        () -> {
          T read = reading.read();
          KeyRange present = range.get();
          if (!present.contains(key)) {
            throw new OutOfRangeException(region, present, key);
          }
          return read;
        });
  }

  /**
   * Reads the rows of a range on the calling thread.
   *
   * @throws OutOfRangeException if the region does not have all of the keys when they were read
   * @throws UncheckedIOException as {@link RowsGate#reading}
   * @throws IllegalStateException as {@link RowsGate#reading}
   */
  public <T> T reading(KeyRange requested, RowsGate.Reading<T> reading) {
    return rows.reading(
        () -> {
          T read = reading.read();
          KeyRange present = range.get();
          if (!present.covers(requested)) {
            throw new OutOfRangeException(region, present, requested);
          }
          return read;
        });
  }
}
