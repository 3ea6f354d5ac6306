package io.quorate.storage.body;

import java.nio.ByteBuffer;
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

  ByteBuffer encode() {
    return ByteBuffer.allocate(2 * Long.BYTES).putLong(segment).putLong(offset).flip();
  }

  static Place decode(ByteBuffer from) {
    return new Place(from.getLong(), from.getLong());
  }

  @Override
  public int compareTo(Place other) {
    return ORDER.compare(this, other);
  }
}
