package io.quorate.storage.command;

import io.quorate.consensus.BodyReference;
import java.nio.ByteBuffer;

/** What is stored as the value of a key. */
public sealed interface StoredValue {

  /** The length of the value in bytes, wherever it is. */
  int length();

  /**
   * The value is in its row.
   *
   * @param bytes the value, between position and limit
   */
  record Inline(ByteBuffer bytes) implements StoredValue {
    @Override
    public int length() {
      return bytes.remaining();
    }
  }

  /** The value is a body, which the row refers to; the engine reads it. */
  record Body(BodyReference reference) implements StoredValue {
    @Override
    public int length() {
      return reference.length();
    }
  }
}
