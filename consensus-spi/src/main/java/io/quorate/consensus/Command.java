package io.quorate.consensus;

import java.nio.ByteBuffer;

/**
 * One command to replicate, opaque to the engine.
 *
 * @param payload the bytes between position and limit, at least one. The engine neither changes the
 *     buffer's bounds nor its bytes, and may read it until the proposal's stage completes.
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
