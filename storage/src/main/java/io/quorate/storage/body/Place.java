package io.quorate.storage.body;

import java.util.Comparator;

/**
 * Where a record begins. Later records have greater places.
 *
 * @param segment the number of the segment
 * @param offset the offset of the record's header in bytes
 */
record Place(long segment, long offset) implements Comparable<Place> {
  private static final Comparator<Place> ORDER =
      Comparator.comparingLong(Place::segment).thenComparingLong(Place::offset);

  @Override
  public int compareTo(Place other) {
    return ORDER.compare(this, other);
  }
}
