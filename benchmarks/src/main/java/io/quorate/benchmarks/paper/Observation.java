package io.quorate.benchmarks.paper;

/** What is seen of the nodes during a turn, beside what the clients see. */
public enum Observation {
  NOTHING,
  /** What replicas without a leader count about their batches, by their metrics. */
  BATCHES,
  /** How far the leader has committed and applied, by its status, again and again. */
  INDEXES,
  /** Which part of the reads, and of all work, each node has. */
  READS
}
