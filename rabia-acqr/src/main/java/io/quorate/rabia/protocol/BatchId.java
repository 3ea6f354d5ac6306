package io.quorate.rabia.protocol;

import io.quorate.consensus.NodeId;

/**
 * Names a batch; this is what replicas vote on, never the body.
 *
 * @param origin the replica that made it
 * @param incarnation which run of that replica made it: a restart begins a new one, so that no
 *     number is given twice
 * @param sequence the number within the incarnation, from 0
 * @param digest of the body, so that equal ids mean equal bodies
 */
public record BatchId(NodeId origin, long incarnation, long sequence, Digest digest) {
  /**
   * ⊥: no batch. As a proposal "nothing to propose", as a decision null, as a candidate unknown.
   */
  public static final BatchId NONE = new BatchId(new NodeId("none"), -1, -1, Digest.NONE);

  public boolean isNone() {
    return sequence < 0;
  }

  @Override
  public String toString() {
    return isNone() ? "none" : origin + "/" + incarnation + "." + sequence;
  }
}
