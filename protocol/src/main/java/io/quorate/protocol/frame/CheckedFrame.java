package io.quorate.protocol.frame;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;

/** Writes frames. Any thread; a frame by one at a time. */
public final class CheckedFrame {
  /** The bytes before the header: length and check. */
  public static final int PREFIX_BYTES = Integer.BYTES + FrameChecksum.BYTES;

  /** The bytes of a frame beside its header and body. */
  public static final int OVERHEAD_BYTES = PREFIX_BYTES + FrameChecksum.BYTES;

  private CheckedFrame() {}

  /** Begins a frame in an empty buffer; the header follows, and then the body. */
  public static ByteBuf begin(ByteBuf frame) {
    return frame.writeLong(0);
  }

  /** The bytes of header and body so far. */
  public static int length(ByteBuf frame) {
    return frame.readableBytes() - PREFIX_BYTES;
  }

  /**
   * Fills in length and check, and appends the checksum.
   *
   * @param frame from its reader index; if it is composite, with room for one more component
   */
  public static ByteBuf end(ByteBuf frame, int headerBytes) {
    int checksum = fill(frame, headerBytes, 0).value();
    if (frame instanceof CompositeByteBuf parts) {
      return parts.addComponent(true, Unpooled.buffer(FrameChecksum.BYTES).writeInt(checksum));
    }
    return frame.writeInt(checksum);
  }

  /**
   * Fills in length and check of a frame whose body ends with bytes in another buffer.
   *
   * @return the checksum, which is to follow those bytes
   */
  public static int end(ByteBuf frame, int headerBytes, ByteBuf rest) {
    int restBytes = rest.readableBytes();
    return fill(frame, headerBytes, restBytes).add(rest, rest.readerIndex(), restBytes).value();
  }

  private static FrameChecksum fill(ByteBuf frame, int headerBytes, int restBytes) {
    int start = frame.readerIndex();
    int body = start + PREFIX_BYTES + headerBytes;
    frame.setInt(start, length(frame) + restBytes);
    FrameChecksum sum = ofHeader(FrameChecksum.ofThisThread(), frame, start, headerBytes);
    frame.setInt(start + Integer.BYTES, sum.value());
    return sum.add(frame, body, frame.writerIndex() - body);
  }

  /** Adds length and header of the frame at this index. */
  static FrameChecksum ofHeader(FrameChecksum sum, ByteBuf frame, int index, int headerBytes) {
    return sum.add(frame, index, Integer.BYTES).add(frame, index + PREFIX_BYTES, headerBytes);
  }
}
