package io.quorate.storage;

import java.nio.ByteBuffer;

/** Arrays out of buffers. */
final class Bytes {
  private Bytes() {}

  /** What is between position and limit, in an array of its own; the buffer is not moved. */
  static byte[] of(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(buffer.position(), bytes);
    return bytes;
  }
}
