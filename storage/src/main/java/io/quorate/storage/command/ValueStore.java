package io.quorate.storage.command;

import io.quorate.consensus.Key;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/** Values by key, as read and written by the operations of one region. */
public interface ValueStore {
  /** The current value; the caller must not move the buffer. */
  Optional<ByteBuffer> get(Key key) throws IOException;

  /**
   * @param value read between position and limit; must not be modified afterwards
   */
  void put(Key key, ByteBuffer value);

  void delete(Key key);
}
