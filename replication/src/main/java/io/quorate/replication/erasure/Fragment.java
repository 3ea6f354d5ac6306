package io.quorate.replication.erasure;

import java.nio.ByteBuffer;

/**
 * One fragment of a value.
 *
 * @param index its number within the code, from 0; data fragments precede parity fragments
 * @param bytes its content, between position and limit. It is not copied, and must not be changed.
 */
public record Fragment(int index, ByteBuffer bytes) {
  /**
   * @throws IllegalArgumentException if the index is negative or above every code's maximum
   */
  public Fragment {
    if (index < 0 || index >= CodeShape.FRAGMENTS_MAX) {
      throw new IllegalArgumentException("No code has a fragment " + index);
    }
    bytes = bytes.slice();
  }

  /** The content, with a position and a limit of its own. */
  @Override
  public ByteBuffer bytes() {
    return bytes.duplicate();
  }
}
