package io.quorate.protocol.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.quorate.protocol.frame.CheckedFrame;

/**
 * The frames of both directions, with the length and the checks of {@link
 * io.quorate.protocol.frame}.
 *
 * <pre>
 * header  correlation:8 · kind:1, the opcode of a request or the status of a response
 * </pre>
 */
public final class Frames {
  /** The length of the header: correlation and kind. */
  public static final int HEADER_BYTES = Long.BYTES + 1;

  /** The default maximum length of a frame, in bytes after the length field. */
  public static final int FRAME_BYTES_MAX_DEFAULT = 16 << 20;

  private Frames() {}

  /** Starts a frame, which {@link #end} completes. */
  public static ByteBuf begin(
      ByteBufAllocator allocator, int bodyBytes, long correlation, int kind) {
    return header(allocator.ioBuffer(bytes(bodyBytes)), correlation, kind);
  }

  /** As {@link #begin}, on the heap and outside of any pool: for a frame that is sent in pieces. */
  public static ByteBuf beginOnHeap(int bodyBytes, long correlation, int kind) {
    return header(Unpooled.buffer(bytes(bodyBytes)), correlation, kind);
  }

  private static ByteBuf header(ByteBuf frame, long correlation, int kind) {
    return CheckedFrame.begin(frame).writeLong(correlation).writeByte(kind);
  }

  private static int bytes(int bodyBytes) {
    return CheckedFrame.OVERHEAD_BYTES + HEADER_BYTES + bodyBytes;
  }

  /**
   * Completes a frame that {@link #begin} started: its length and its checks.
   *
   * @param frame if it is composite, with room for one more component
   */
  public static ByteBuf end(ByteBuf frame) {
    return CheckedFrame.end(frame, HEADER_BYTES);
  }

  /** Returns a complete frame with this body. */
  public static ByteBuf of(ByteBufAllocator allocator, long correlation, int kind, byte[] body) {
    return end(begin(allocator, body.length, correlation, kind).writeBytes(body));
  }

  /**
   * Returns a frame without checks, of correlation 0: the refusal of a preamble, which a client of
   * any version can read.
   */
  public static ByteBuf refusal(ByteBufAllocator allocator, int kind, byte[] body) {
    int length = HEADER_BYTES + body.length;
    return allocator
        .ioBuffer(Integer.BYTES + length)
        .writeInt(length)
        .writeLong(0)
        .writeByte(kind)
        .writeBytes(body);
  }
}
