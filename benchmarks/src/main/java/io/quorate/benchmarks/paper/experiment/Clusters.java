package io.quorate.benchmarks.paper.experiment;

/**
 * The common properties of the clusters of a case. The clusters of the compared systems run at the
 * same time, and no others.
 *
 * @param name part of the names of cases; empty if not needed
 * @param replicas number of replicas of each cluster
 * @param medium storage medium of their data
 * @param megabitsPerSecond bandwidth of each node in each direction; {@link #UNLIMITED} for the
 *     loopback of this machine
 */
public record Clusters(String name, int replicas, DataMedium medium, int megabitsPerSecond) {
  /** The bandwidth of the loopback of this machine. */
  public static final int UNLIMITED = 0;

  /** Clusters on the loopback of this machine. */
  public Clusters(String name, int replicas, DataMedium medium) {
    this(name, replicas, medium, UNLIMITED);
  }

  /** Clusters of this size with their data on disk. */
  public static Clusters of(int replicas) {
    return new Clusters("", replicas, DataMedium.DISK);
  }

  /** Clusters of this size with their data on disk and with this bandwidth, 1 or more. */
  public static Clusters limited(int replicas, int megabitsPerSecond) {
    return new Clusters(
        megabitsPerSecond + " Mbit/s", replicas, DataMedium.DISK, megabitsPerSecond);
  }

  public boolean limitsBandwidth() {
    return megabitsPerSecond != UNLIMITED;
  }
}
