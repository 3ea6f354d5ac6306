package io.quorate.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.TooLongFrameException;
import java.util.List;

/**
 * Splits the bytes of a peer into frames, without their length. A frame that is too long is refused
 * as soon as its length is received, and nothing after it is read. One reader for each connection,
 * on its event loop.
 */
final class PeerFrameReader extends ByteToMessageDecoder {
  private final TransportSettings settings;
  private int bytesMax = PeerFrames.HANDSHAKE_BYTES_MAX;
  private boolean broken;

  PeerFrameReader(TransportSettings settings) {
    this.settings = settings;
  }

  /** Accepts frames up to the length of the setting from now on. */
  void handshakeCompleted() {
    bytesMax = settings.frameBytesMax();
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
          "a frame has from 1 to "
              + bytesMax
              + (bytesMax == settings.frameBytesMax()
                  ? " bytes (" + settings.key("frame-size-max") + ")"
                  : " bytes")
              + ", and the length of this one is "
              + Integer.toUnsignedString(length));
    }
    if (in.readableBytes() - Integer.BYTES >= length) {
      in.skipBytes(Integer.BYTES);
      out.add(in.readRetainedSlice(length));
    }
  }
}
