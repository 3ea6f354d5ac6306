package io.quorate.benchmarks.paper;

/**
 * What the clusters of a case have in common. Those of contenders that are compared are up at the
 * same time, and only they.
 *
 * @param name in the names of cases; empty where it needs no telling
 * @param replicas of each
 * @param medium of their data
 */
public record Clusters(String name, int replicas, Medium medium) {

  /** Clusters of this size on the disk. */
  public static Clusters of(int replicas) {
    return new Clusters("", replicas, Medium.DISK);
  }
}
