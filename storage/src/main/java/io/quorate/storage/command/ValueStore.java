package io.quorate.storage.command;

import io.quorate.model.Key;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/** Rows by key, as read and written by the operations of one region, see {@link RowFormat}. */
public interface ValueStore {
  /** The current row; the caller must not move the buffer. */
  Optional<ByteBuffer> get(Key key) throws IOException;

  /**
   * @param row read between position and limit; must not be modified afterwards
   */
  void put(Key key, ByteBuffer row);

  void delete(Key key);
}
