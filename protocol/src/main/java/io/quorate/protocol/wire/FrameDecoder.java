package io.quorate.protocol.wire;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.CorruptedFrameException;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.TooLongFrameException;
import io.quorate.protocol.frame.FrameVerifier;
import java.util.List;

/**
 * Splits received bytes into frames, from their header to the end of their body, as slices of the
 * received buffer, and verifies their checksums. One for each connection, on its event loop.
 *
 * <p>A length beyond the maximum raises {@link TooLongFrameException} before the frame is buffered,
 * an altered frame {@link CorruptedFrameException}, and first bytes that no server sends another
 * {@link DecoderException}. Nothing after these is read.
 */
public final class FrameDecoder extends ByteToMessageDecoder {
  private final int frameBytesMax;
  private final FrameVerifier verifier = new FrameVerifier(Frames.HEADER_BYTES);
  private boolean any;
  private boolean broken;

  /**
   * @param frameBytesMax the maximum length of header and body
   */
  public FrameDecoder(int frameBytesMax) {
    this.frameBytesMax = frameBytesMax;
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
    if (broken) {
      in.skipBytes(in.readableBytes());
      return;
    }
    try {
      if (!any && isRefusal(in)) {
        readRefusal(in, out);
      } else if (hasHeader(in)) {
        requireLength(FrameVerifier.length(in));
        if (verifier.hasFrame(in)) {
          any = true;
          out.add(verifier.take(in));
        }
      }
    } catch (DecoderException e) {
      broken = true;
      in.skipBytes(in.readableBytes());
      throw e;
    }
  }

  private boolean hasHeader(ByteBuf in) {
    try {
      return verifier.hasHeader(in);
    } catch (CorruptedFrameException e) {
      int start = in.readerIndex();
      boolean isAlmostOne = in.getByte(start) == 0 || in.getInt(start + 2 * Integer.BYTES) == 0;
      if (any || isAlmostOne) {
        throw e;
      }
      throw new DecoderException("its first bytes are no frame");
    }
  }

  /** Whether the first bytes are those of {@link Frames#refusal}, and no frame with checks. */
  private static boolean isRefusal(ByteBuf in) {
    int start = in.readerIndex();
    return in.readableBytes() >= Integer.BYTES + Frames.HEADER_BYTES
        && in.getInt(start) >= Frames.HEADER_BYTES
        && in.getLong(start + Integer.BYTES) == 0
        && in.getByte(start + Integer.BYTES + Long.BYTES) != 0;
  }

  private void readRefusal(ByteBuf in, List<Object> out) {
    int length = in.getInt(in.readerIndex());
    requireLength(length);
    if (in.readableBytes() - Integer.BYTES >= length) {
      any = true;
      out.add(in.skipBytes(Integer.BYTES).readRetainedSlice(length));
    }
  }

  private void requireLength(int length) {
    if (length < Frames.HEADER_BYTES || length > frameBytesMax) {
      throw new TooLongFrameException(
          "a frame claims " + Integer.toUnsignedString(length) + " bytes");
    }
  }
}
