package io.quorate.rabia.protocol;

import io.quorate.model.NodeId;

/**
 * A batch with its id.
 *
 * @param timestampNanos the origin's clock when the batch was created; used only to order the
 *     queues of the published chooser
 */
public record Batch(BatchId id, long timestampNanos, Body body) {

  /** Creates a batch and computes its id. */
  public static Batch of(
      NodeId origin, long incarnation, long sequence, long timestampNanos, Body body) {
    BatchId id = new BatchId(origin, incarnation, sequence, Digest.of(body.parts()));
    return new Batch(id, timestampNanos, body);
  }

  /** Whether the body matches the digest in the id. Reads the whole body. */
  public boolean isIntact() {
    return Digest.of(body.parts()).equals(id.digest());
  }

  /** Length of the body in bytes. */
  public int size() {
    return body.size();
  }
}
