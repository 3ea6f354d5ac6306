package io.quorate.rabia.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.quorate.operation.MalformedException;
import java.nio.charset.StandardCharsets;

/** The outer shape of a frame. */
final class Frames {
  /** Longest frame before a connection is greeted: a greeting or a refusal. */
  static final int GREETING_BYTES_MAX = 1024;

  /** Longest sentence in a frame, in bytes; what is longer is cut. */
  private static final int SENTENCE_BYTES_MAX = 768;

  private Frames() {}

  /** Starts a frame, which {@link #end} ends. */
  static ByteBuf begin(ByteBufAllocator allocator, FrameType type, int bodyBytes) {
    return allocator.ioBuffer(Integer.BYTES + 1 + bodyBytes).writeInt(0).writeByte(type.code());
  }

  /** Fills in the length. */
  static ByteBuf end(ByteBuf frame) {
    return frame.setInt(frame.readerIndex(), frame.readableBytes() - Integer.BYTES);
  }

  static ByteBuf keepAlive(ByteBufAllocator allocator) {
    return end(begin(allocator, FrameType.KEEP_ALIVE, 0));
  }

  static ByteBuf failure(ByteBufAllocator allocator, long correlation, String sentence) {
    ByteBuf frame = begin(allocator, FrameType.FAILURE, Long.BYTES + SENTENCE_BYTES_MAX);
    frame.writeLong(correlation);
    writeSentence(frame, sentence);
    return end(frame);
  }

  static void writeSentence(ByteBuf frame, String sentence) {
    byte[] bytes = sentence.getBytes(StandardCharsets.UTF_8);
    frame.writeBytes(bytes, 0, Math.min(bytes.length, SENTENCE_BYTES_MAX));
  }

  /** The rest of a frame as text fit for a log: one line, and no longer than a sentence is. */
  static String readSentence(ByteBuf frame) {
    int bytes = Math.min(frame.readableBytes(), SENTENCE_BYTES_MAX);
    return frame.readString(bytes, StandardCharsets.UTF_8).replaceAll("\\p{Cntrl}", " ");
  }

  /** Takes the type off a frame. */
  static FrameType readType(ByteBuf frame) {
    int code = frame.isReadable() ? frame.readUnsignedByte() : 0;
    return FrameType.of(code)
        .orElseThrow(() -> new MalformedException("there is no frame of type " + code));
  }
}
