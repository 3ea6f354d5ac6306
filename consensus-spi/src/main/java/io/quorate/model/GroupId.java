package io.quorate.model;

/**
 * The number of a consensus group, unique in its cluster. Region {@code n} is replicated by group
 * {@code n}; group 0 holds the cluster's metadata.
 *
 * @param value 0 or greater
 */
public record GroupId(int value) implements Comparable<GroupId> {
  public GroupId {
    if (value < 0) {
      throw new IllegalArgumentException("A group id is 0 or greater: " + value);
    }
  }

  @Override
  public int compareTo(GroupId other) {
    return Integer.compare(value, other.value);
  }

  @Override
  public String toString() {
    return Integer.toString(value);
  }
}
