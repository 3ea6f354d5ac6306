package io.quorate.consensus;

import java.nio.ByteBuffer;

/**
 * One command to replicate, opaque to the engine.
 *
 * @param payload the bytes between position and limit. The engine neither changes the buffer's
 *     bounds nor its bytes, and may read it until the proposal's stage completes.
 */
public record Command(ByteBuffer payload) {
  /** Length of the payload in bytes. */
  public int size() {
    return payload.remaining();
  }
}
