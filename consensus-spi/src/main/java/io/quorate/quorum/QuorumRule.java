package io.quorate.quorum;

/** How a quorum read treats pending writes. */
public enum QuorumRule {
  /**
   * Waits for a state that covers every position that a replica of the quorum had applied or
   * pending (Q3, L2). Linearizable. The barrier is fixed once, so the read ends even if the pending
   * write is never committed, and however many writes follow.
   */
  BARRIER,
  /**
   * The published rule for Raft: while the newest reply is a pending write, the read requests new
   * replies after a backoff. Linearizable, but starves on a key that is written continuously (L5).
   */
  RETRY,
  /**
   * Reads the state with the highest applied position and ignores pending writes. Not linearizable
   * (L11): it misses an acknowledged write that no replica of the quorum has applied.
   */
  NEWEST
}
