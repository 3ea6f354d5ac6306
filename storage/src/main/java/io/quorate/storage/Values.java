package io.quorate.storage;

import io.quorate.consensus.Key;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/** Values by key, as the operations of one region find and leave them. */
interface Values {
  /** The present value, which the caller must not move. */
  Optional<ByteBuffer> get(Key key) throws IOException;

  /**
   * @param value read between position and limit; must not change any more
   */
  void put(Key key, ByteBuffer value);

  void delete(Key key);
}
