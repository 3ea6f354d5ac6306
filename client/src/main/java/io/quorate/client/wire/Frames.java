package io.quorate.client.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;

/** The outer shape of a frame. */
public final class Frames {
  /** What follows the length field before the body: correlation and kind. */
  public static final int HEADER_BYTES = Long.BYTES + 1;

  /** Largest frame where nobody says otherwise, in bytes after the length field. */
  public static final int FRAME_BYTES_MAX_DEFAULT = 16 << 20;

  private Frames() {}

  /** Starts a frame: the length is filled in by {@link #end}. */
  public static ByteBuf begin(
      ByteBufAllocator allocator, int bodyBytes, long correlation, int kind) {
    return allocator
        .ioBuffer(Integer.BYTES + HEADER_BYTES + bodyBytes)
        .writeInt(0)
        .writeLong(correlation)
        .writeByte(kind);
  }

  /** Fills in the length of a frame that {@link #begin} started and that starts its buffer. */
  public static ByteBuf end(ByteBuf frame) {
    return frame.setInt(0, frame.writerIndex() - Integer.BYTES);
  }

  /** A whole frame with this body. */
  public static ByteBuf of(ByteBufAllocator allocator, long correlation, int kind, byte[] body) {
    return end(begin(allocator, body.length, correlation, kind).writeBytes(body));
  }

  /**
   * Cuts the stream into frames without their length field, as slices of what was received.
   *
   * <p>A length beyond the bound raises {@link io.netty.handler.codec.TooLongFrameException} as
   * soon as the length is read, before anything is buffered for it.
   */
  public static LengthFieldBasedFrameDecoder decoder(int frameBytesMax) {
    return new LengthFieldBasedFrameDecoder(
        frameBytesMax + Integer.BYTES, 0, Integer.BYTES, 0, Integer.BYTES, true);
  }
}
