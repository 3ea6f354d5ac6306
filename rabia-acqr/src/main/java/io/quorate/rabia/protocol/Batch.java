package io.quorate.rabia.protocol;

import io.quorate.consensus.NodeId;

/**
 * A batch with its name.
 *
 * @param timestampNanos the origin's clock when it was made. Orders the queues of the published
 *     chooser and means nothing else.
 */
public record Batch(BatchId id, long timestampNanos, Body body) {

  /** Names a body. */
  public static Batch of(
      NodeId origin, long incarnation, long sequence, long timestampNanos, Body body) {
    BatchId id = new BatchId(origin, incarnation, sequence, Digest.of(body.parts()));
    return new Batch(id, timestampNanos, body);
  }

  /** Whether body and name belong together. Reads the whole body. */
  public boolean isIntact() {
    return Digest.of(body.parts()).equals(id.digest());
  }

  /** Length of the body in bytes. */
  public int size() {
    return body.size();
  }
}
