package io.quorate.replication.transport;

import java.nio.ByteBuffer;

/** A request that is encoded into the memory from which it is sent. */
public interface RequestBody {

  /** The exact length of the encoding, in bytes. */
  int size();

  /** Puts the encoding into a buffer with {@link #size} bytes left. */
  void write(ByteBuffer to);
}
