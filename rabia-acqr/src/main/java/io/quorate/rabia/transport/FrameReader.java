package io.quorate.rabia.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.TooLongFrameException;
import java.util.List;

/**
 * Cuts what a peer sends into frames, without their length. One that is too long is refused as soon
 * as its length is there, and nothing after it is read. One for each connection, on its event loop.
 */
final class FrameReader extends ByteToMessageDecoder {
  private final int frameBytesMax;
  private int bytesMax = Frames.GREETING_BYTES_MAX;
  private boolean broken;

  FrameReader(int frameBytesMax) {
    this.frameBytesMax = frameBytesMax;
  }

  /** From now on frames may be as long as the setting says. */
  void greeted() {
    bytesMax = frameBytesMax;
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
    if (broken) {
      in.skipBytes(in.readableBytes());
      return;
    }
    if (in.readableBytes() < Integer.BYTES) {
      return;
    }
    int length = in.getInt(in.readerIndex());
    if (length < 1 || length > bytesMax) {
      broken = true;
      in.skipBytes(in.readableBytes());
      throw new TooLongFrameException(
          "a frame here has from 1 to "
              + bytesMax
              + (bytesMax == frameBytesMax ? " bytes (rabia.frame-size-max)" : " bytes")
              + ", and this one claims "
              + Integer.toUnsignedString(length));
    }
    if (in.readableBytes() - Integer.BYTES >= length) {
      in.skipBytes(Integer.BYTES);
      out.add(in.readRetainedSlice(length));
    }
  }
}
