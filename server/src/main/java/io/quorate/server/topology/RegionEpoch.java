package io.quorate.server.topology;

/**
 * Incremented by every change of a region's range or replicas; a request contains the epoch that it
 * was routed by.
 *
 * @param value 1 or greater
 */
public record RegionEpoch(long value) {
  public static final RegionEpoch FIRST = new RegionEpoch(1);

  public RegionEpoch {
    if (value < 1) {
      throw new IllegalArgumentException("A region's epoch is 1 or greater: " + value);
    }
  }

  @Override
  public String toString() {
    return Long.toString(value);
  }
}
