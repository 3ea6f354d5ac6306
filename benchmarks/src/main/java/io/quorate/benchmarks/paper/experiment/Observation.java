package io.quorate.benchmarks.paper.experiment;

/** What is measured on the nodes, in addition to the measurements of the clients. */
public enum Observation {
  NOTHING,
  /** The batch counters of leaderless replicas, from their metrics. */
  BATCHES,
  /** The commit index and applied index of the leader, sampled from its status. */
  INDEXES,
  /** The part of the reads, and of all work, that each node has. */
  READS
}
