package io.quorate.storage.read;

import io.quorate.model.Key;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Iterates over rows in the order of a scan. One thread. */
interface RowIterator {
  /** Whether the iterator is at a row; false at the end. */
  boolean isAtRow();

  Key key();

  /** The value, in a buffer owned by the caller; its bytes must not be changed. */
  ByteBuffer value();

  void next() throws IOException;
}
