package io.quorate.replication.transport;

import io.netty.buffer.ByteBuf;

/** A message of a group, which the transport does not interpret. */
public interface Payload {

  /** The estimated length of the encoding, so that its buffer rarely grows. */
  int expectedBytes();

  /** Appends the encoding, which contains no length and no end mark. */
  void write(ByteBuf to);
}
