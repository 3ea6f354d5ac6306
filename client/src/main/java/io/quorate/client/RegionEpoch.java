package io.quorate.client;

/** The version of a region's range and replicas; a higher one is newer. */
public record RegionEpoch(long value) implements Comparable<RegionEpoch> {
  @Override
  public int compareTo(RegionEpoch other) {
    return Long.compareUnsigned(value, other.value);
  }
}
