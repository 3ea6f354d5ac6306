package io.quorate.client.cluster;

/**
 * The version of a region's range and replicas, incremented by every change of them. A request
 * contains the epoch by which it was routed.
 *
 * @param value 1 or greater; a higher one is newer
 */
public record RegionEpoch(long value) implements Comparable<RegionEpoch> {
  /** The epoch of a region when its cluster first starts. */
  public static final RegionEpoch FIRST = new RegionEpoch(1);

  public RegionEpoch {
    if (value < 1) {
      throw new IllegalArgumentException("A region's epoch is 1 or greater: " + value);
    }
  }

  /** The epoch after the next change. */
  public RegionEpoch next() {
    return new RegionEpoch(value + 1);
  }

  @Override
  public int compareTo(RegionEpoch other) {
    return Long.compare(value, other.value);
  }

  @Override
  public String toString() {
    return Long.toString(value);
  }
}
