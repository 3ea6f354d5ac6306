package io.quorate.replication.transport;

import io.netty.buffer.ByteBuf;
import io.quorate.common.DecodeException;
import java.nio.ByteBuffer;

/**
 * A message of the tests.
 *
 * @param number identifies the message in a test
 * @param body padding to the length that a test needs
 */
record TestMessage(long number, ByteBuffer body) implements Payload {

  static TestMessage read(ByteBuf from) {
    if (from.readableBytes() < Long.BYTES) {
      throw new DecodeException("a message has at least 8 bytes");
    }
    long number = from.readLong();
    ByteBuffer body = ByteBuffer.allocate(from.readableBytes());
    from.readBytes(body);
    return new TestMessage(number, body.flip());
  }

  @Override
  public int expectedBytes() {
    return Long.BYTES + body.remaining();
  }

  @Override
  public void write(ByteBuf to) {
    to.writeLong(number).writeBytes(body.duplicate());
  }
}
