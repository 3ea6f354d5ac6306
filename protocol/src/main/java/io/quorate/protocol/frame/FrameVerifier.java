package io.quorate.protocol.frame;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.CorruptedFrameException;

/**
 * Verifies one frame after another as their bytes arrive: each byte is read once, when it is still
 * in the caches. The caller first asks for the header, then for the whole, and then takes the
 * frame. For one connection, on its event loop.
 */
public final class FrameVerifier {
  private static final String ALTERED =
      " does not match its checksum: bits were altered on the way or in memory";

  private final int headerBytes;
  private final FrameChecksum sum = new FrameChecksum();

  /** The bytes of the frame that the sum has, from the reader index; 0 before the header. */
  private int summed;

  /**
   * @param headerBytes the length of each header
   */
  public FrameVerifier(int headerBytes) {
    this.headerBytes = headerBytes;
  }

  /**
   * Whether the header has arrived, intact.
   *
   * @throws CorruptedFrameException if it was altered; nothing after it can be read
   */
  public boolean hasHeader(ByteBuf in) {
    if (summed > 0) {
      return true;
    }
    if (in.readableBytes() < CheckedFrame.PREFIX_BYTES + headerBytes) {
      return false;
    }
    int start = in.readerIndex();
    CheckedFrame.ofHeader(sum.restart(), in, start, headerBytes);
    if (sum.value() != in.getInt(start + Integer.BYTES)) {
      throw altered("The header of a frame");
    }
    summed = CheckedFrame.PREFIX_BYTES + headerBytes;
    return true;
  }

  /** The length of header and body, once {@link #hasHeader}. */
  public static int length(ByteBuf in) {
    return in.getInt(in.readerIndex());
  }

  /**
   * Whether the whole frame has arrived, intact, once {@link #hasHeader}.
   *
   * @throws CorruptedFrameException if it was altered
   */
  public boolean hasFrame(ByteBuf in) {
    int end = CheckedFrame.PREFIX_BYTES + length(in);
    int arrived = Math.min(in.readableBytes(), end);
    sum.add(in, in.readerIndex() + summed, arrived - summed);
    summed = arrived;
    if (in.readableBytes() - FrameChecksum.BYTES < end) {
      return false;
    }
    if (sum.value() != in.getInt(in.readerIndex() + end)) {
      throw altered("A frame");
    }
    return true;
  }

  /** Reads the frame, once {@link #hasFrame}: its header and body, in the memory of the buffer. */
  public ByteBuf take(ByteBuf in) {
    int length = length(in);
    ByteBuf frame = in.skipBytes(CheckedFrame.PREFIX_BYTES).readRetainedSlice(length);
    in.skipBytes(FrameChecksum.BYTES);
    summed = 0;
    return frame;
  }

  /** The exception about bytes that were altered. */
  public static CorruptedFrameException altered(String what) {
    return new CorruptedFrameException(what + ALTERED);
  }
}
