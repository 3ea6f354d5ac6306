package io.quorate.benchmarks.paper.experiment;

/**
 * The common properties of the clusters of a case. The clusters of the compared systems run at the
 * same time, and no others.
 *
 * @param name part of the names of cases; empty if not needed
 * @param replicas number of replicas of each cluster
 * @param medium storage medium of their data
 */
public record Clusters(String name, int replicas, DataMedium medium) {

  /** Clusters of this size with their data on disk. */
  public static Clusters of(int replicas) {
    return new Clusters("", replicas, DataMedium.DISK);
  }
}
