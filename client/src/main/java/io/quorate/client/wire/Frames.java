package io.quorate.client.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;

/** The length field and header of a frame. */
public final class Frames {
  /** The length of the header between the length field and the body: correlation and kind. */
  public static final int HEADER_BYTES = Long.BYTES + 1;

  /** The default maximum length of a frame, in bytes after the length field. */
  public static final int FRAME_BYTES_MAX_DEFAULT = 16 << 20;

  private Frames() {}

  /** Starts a frame; {@link #end} sets its length. */
  public static ByteBuf begin(
      ByteBufAllocator allocator, int bodyBytes, long correlation, int kind) {
    return header(allocator.ioBuffer(Integer.BYTES + HEADER_BYTES + bodyBytes), correlation, kind);
  }

  /** As {@link #begin}, on the heap and outside of any pool: for a frame that is sent in pieces. */
  public static ByteBuf beginOnHeap(int bodyBytes, long correlation, int kind) {
    return header(Unpooled.buffer(Integer.BYTES + HEADER_BYTES + bodyBytes), correlation, kind);
  }

  private static ByteBuf header(ByteBuf frame, long correlation, int kind) {
    return frame.writeInt(0).writeLong(correlation).writeByte(kind);
  }

  /** Sets the length of a frame that {@link #begin} started at the beginning of its buffer. */
  public static ByteBuf end(ByteBuf frame) {
    return frame.setInt(0, frame.writerIndex() - Integer.BYTES);
  }

  /** Returns a complete frame with this body. */
  public static ByteBuf of(ByteBufAllocator allocator, long correlation, int kind, byte[] body) {
    return end(begin(allocator, body.length, correlation, kind).writeBytes(body));
  }

  /**
   * Splits the received bytes into frames without their length field, as slices of the received
   * buffer.
   *
   * <p>A length beyond the maximum raises {@link io.netty.handler.codec.TooLongFrameException} as
   * soon as the length is read, before the frame is buffered.
   */
  public static LengthFieldBasedFrameDecoder decoder(int frameBytesMax) {
    return new LengthFieldBasedFrameDecoder(
        frameBytesMax + Integer.BYTES, 0, Integer.BYTES, 0, Integer.BYTES, true);
  }
}
