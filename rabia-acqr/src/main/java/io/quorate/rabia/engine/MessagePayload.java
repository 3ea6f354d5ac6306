package io.quorate.rabia.engine;

import io.netty.buffer.ByteBuf;
import io.quorate.common.DecodeException;
import io.quorate.rabia.codec.MessageCodec;
import io.quorate.rabia.protocol.Message;
import io.quorate.replication.transport.Payload;

/** A message as the transport sends and receives it. */
record MessagePayload(Message message) implements Payload {
  /** The expected length of a message without batch bodies. */
  private static final int MESSAGE_BYTES_EXPECTED = 256;

  /**
   * Reads a message that was received. Votes are on ids, so a body under the id of another one
   * would be executed in its place.
   *
   * @throws DecodeException if the bytes are not exactly one message, or if a body does not match
   *     its id
   */
  static Message read(ByteBuf from) {
    Message message = MessageCodec.read(from);
    if (!message.isIntact()) {
      throw new DecodeException("a batch body does not match its id");
    }
    return message;
  }

  @Override
  public int expectedBytes() {
    return MESSAGE_BYTES_EXPECTED + message.bodyBytes();
  }

  @Override
  public void write(ByteBuf to) {
    MessageCodec.write(message, to);
  }
}
