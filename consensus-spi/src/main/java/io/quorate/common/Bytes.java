package io.quorate.common;

import java.nio.ByteBuffer;

/** Copies buffers into arrays. */
public final class Bytes {
  private Bytes() {}

  /** Copies the bytes between position and limit; does not move the buffer. */
  public static byte[] of(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(buffer.position(), bytes);
    return bytes;
  }
}
