package io.quorate.storage;

import io.quorate.consensus.Key;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Rows in key order, looked at one by one. One thread. */
interface Rows {
  /** Whether there is a row here; none follows where there is none. */
  boolean isAtRow();

  Key key();

  /** The value, in a buffer of the caller's own whose bytes must not be changed. */
  ByteBuffer value();

  void next() throws IOException;
}
