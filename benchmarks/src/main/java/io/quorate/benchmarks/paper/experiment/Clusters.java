package io.quorate.benchmarks.paper.experiment;

/**
 * The common properties of the clusters of a case.
 *
 * @param name part of the names of cases; empty if not needed
 * @param replicas number of replicas of each cluster
 * @param medium storage medium of their data
 * @param megabitsPerSecond bandwidth of each node in each direction; {@link #UNLIMITED} for the
 *     loopback of this machine
 * @param schedule which of them run at the same time
 */
public record Clusters(
    String name, int replicas, DataMedium medium, int megabitsPerSecond, Schedule schedule) {
  /** The bandwidth of the loopback of this machine. */
  public static final int UNLIMITED = 0;

  /** Which clusters run at the same time. */
  public enum Schedule {
    /** Those of all compared systems, and no others, so that their measurements can alternate. */
    TOGETHER,
    /**
     * One cluster, with all measurements of its systems, for machines on which those of all systems
     * disturb each other.
     */
    ONE_AT_A_TIME
  }

  /** Clusters on the loopback of this machine. */
  public Clusters(String name, int replicas, DataMedium medium) {
    this(name, replicas, medium, UNLIMITED, Schedule.TOGETHER);
  }

  /** Clusters of this size with their data on disk. */
  public static Clusters of(int replicas) {
    return new Clusters("", replicas, DataMedium.DISK);
  }

  /** Clusters of this size with their data on disk and with this bandwidth, 1 or more. */
  public static Clusters limited(int replicas, int megabitsPerSecond) {
    return new Clusters(
        megabitsPerSecond + " Mbit/s",
        replicas,
        DataMedium.DISK,
        megabitsPerSecond,
        Schedule.TOGETHER);
  }

  /** Clusters of this size with their data on disk, of which one runs at a time. */
  public static Clusters oneAtATime(int replicas) {
    return new Clusters("", replicas, DataMedium.DISK, UNLIMITED, Schedule.ONE_AT_A_TIME);
  }

  public boolean limitsBandwidth() {
    return megabitsPerSecond != UNLIMITED;
  }
}
