package io.quorate.benchmarks.paper.experiment;

/** What is measured in a case. */
public enum Observation {
  /** The calls of the clients. */
  CALLS,
  /** Also the batch counters of leaderless replicas, from their metrics. */
  BATCHES,
  /** Also the commit index and applied index of the leader, sampled from its status. */
  INDEXES,
  /**
   * Also the indexes as {@link #INDEXES}, the part of the time of writes between commit and apply,
   * and how busy all cores are.
   */
  APPLY,
  /** Also the part of the reads, and of all work, that each node has. */
  READS,
  /**
   * What the nodes send and store, in place of the calls: the clients write each key once, and each
   * measurement has keys of its own.
   */
  BYTES,
  /**
   * The first reads of keys at a new leader, in place of the calls: one client writes each key,
   * another node becomes the leader, and the client reads each key ten times.
   */
  READS_AT_NEW_LEADER
}
