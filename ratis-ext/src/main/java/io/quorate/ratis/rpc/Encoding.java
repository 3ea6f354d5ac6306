package io.quorate.ratis.rpc;

import io.quorate.common.DecodeException;
import io.quorate.replication.transport.RequestBody;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.apache.ratis.thirdparty.com.google.protobuf.CodedInputStream;
import org.apache.ratis.thirdparty.com.google.protobuf.CodedOutputStream;
import org.apache.ratis.thirdparty.com.google.protobuf.MessageLite;
import org.apache.ratis.thirdparty.com.google.protobuf.Parser;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;

/** Ratis' encoding of its messages. */
final class Encoding {
  private Encoding() {}

  /** A message as the body of a request. */
  record Outgoing(MessageLite message) implements RequestBody {
    @Override
    public int size() {
      return message.getSerializedSize();
    }

    @Override
    public void write(ByteBuffer to) {
      CodedOutputStream output = CodedOutputStream.newInstance(to);
      try {
        message.writeTo(output);
        output.flush();
      } catch (IOException e) {
        throw new UncheckedIOException("A message is longer than it reported.", e);
      }
    }
  }

  static ByteBuffer encode(MessageLite message) {
    return message.toByteString().asReadOnlyByteBuffer();
  }

  /**
   * Decodes a message. Its fields of bytes, such as the data of log entries, refer to the buffer
   * without a copy.
   *
   * @param bytes never changed afterwards
   * @throws DecodeException if the message is malformed
   */
  static <T> T decode(Parser<T> parser, ByteBuffer bytes) {
    CodedInputStream input = UnsafeByteOperations.unsafeWrap(bytes).newCodedInput();
    input.enableAliasing(true);
    try {
      return parser.parseFrom(input);
    } catch (IOException e) {
      throw new DecodeException("a message of Raft is malformed: " + e.getMessage());
    }
  }
}
