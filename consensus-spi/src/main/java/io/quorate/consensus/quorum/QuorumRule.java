package io.quorate.consensus.quorum;

/** What a quorum read does about writes that are on their way. */
public enum QuorumRule {
  /**
   * Waits until a state holds everything that any replica of the quorum had applied or pending
   * (PROTOCOLS Q3, L2). Linearizable. Ends whether or not that write comes, and however many more
   * come.
   */
  BARRIER,
  /**
   * As it was published for Raft: while the freshest share is a write that is not applied, all
   * shares are taken anew after a pause. Linearizable, but of a key that is written all the time it
   * reads nothing (L5).
   */
  RETRY,
  /**
   * The state of the replica that has applied most, whatever is pending. Not linearizable (L11): an
   * acknowledged write is missed while no replica of the quorum has applied it.
   */
  NEWEST
}
