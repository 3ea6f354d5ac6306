package io.quorate.consensus;

import java.nio.ByteBuffer;

/**
 * One command to replicate, opaque to the engine.
 *
 * @param payload the bytes between position and limit, at least one. The engine changes neither the
 *     buffer's bounds nor its bytes. It may read the buffer until the stage that {@link
 *     ConsensusGroup#propose} returned completes; until then the caller must not change it.
 */
public record Command(ByteBuffer payload) {
  public Command {
    if (!payload.hasRemaining()) {
      throw new IllegalArgumentException("A command has at least one byte");
    }
  }

  /** Length of the payload in bytes. */
  public int size() {
    return payload.remaining();
  }
}
