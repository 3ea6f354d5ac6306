package io.quorate.server.topology;

/**
 * The number of changes of a stored topology. Of two topologies of one cluster, the one with the
 * greater version is newer.
 *
 * @param value 0 for the topology with which the cluster began
 */
public record TopologyVersion(long value) implements Comparable<TopologyVersion> {
  /** The version of a topology that has not been changed. */
  public static final TopologyVersion FIRST = new TopologyVersion(0);

  public TopologyVersion {
    if (value < 0) {
      throw new IllegalArgumentException("A version of a topology is at least 0, not " + value);
    }
  }

  TopologyVersion next() {
    return new TopologyVersion(value + 1);
  }

  @Override
  public int compareTo(TopologyVersion other) {
    return Long.compare(value, other.value);
  }
}
