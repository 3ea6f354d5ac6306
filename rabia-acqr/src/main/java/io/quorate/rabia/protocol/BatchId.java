package io.quorate.rabia.protocol;

import io.quorate.model.NodeId;

/**
 * The id of a batch. Replicas vote on ids, never on bodies.
 *
 * @param origin the replica that created the batch
 * @param incarnation the incarnation of that replica: each restart begins a new one, so that no
 *     sequence number is used twice
 * @param sequence the sequence number within the incarnation, from 0
 * @param digest the digest of the body, so that equal ids imply equal bodies
 */
public record BatchId(NodeId origin, long incarnation, long sequence, Digest digest) {
  /**
   * ⊥: no batch. As a proposal it means "nothing to propose", as a decision null, as a candidate
   * unknown.
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
