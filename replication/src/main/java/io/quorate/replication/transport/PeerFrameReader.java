package io.quorate.replication.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.TooLongFrameException;
import io.quorate.protocol.frame.ClientGreeting;
import io.quorate.protocol.frame.FrameChecksum;
import io.quorate.protocol.frame.FrameVerifier;
import io.quorate.replication.transport.handshake.Handshake;
import io.quorate.replication.transport.handshake.PeerFrames;
import java.util.List;

/**
 * Splits the bytes of a peer into frames, from their type to the end of their body, and verifies
 * their checksums. A frame that is too long is refused as soon as its length is received, and
 * nothing after it is read; nor after a frame that was altered. One reader for each connection, on
 * its event loop.
 */
final class PeerFrameReader extends ByteToMessageDecoder {
  private final TransportSettings settings;
  private final FrameVerifier verifier = new FrameVerifier(PeerFrames.HEADER_BYTES);
  private int bytesMax = PeerFrames.HANDSHAKE_BYTES_MAX;
  private boolean greeted;
  private boolean broken;

  /** The other side is no node, but a client. */
  static final class ClientException extends DecoderException {
    private static final long serialVersionUID = 1L;
  }

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
    try {
      if (!greeted) {
        readGreeting(in, out);
      } else if (verifier.hasHeader(in)) {
        requireLength(FrameVerifier.length(in));
        if (verifier.hasFrame(in)) {
          out.add(verifier.take(in));
        }
      }
    } catch (DecoderException e) {
      broken = true;
      in.skipBytes(in.readableBytes());
      throw e;
    }
  }

  /** Reads the first frame, whose length includes its checksum. */
  private void readGreeting(ByteBuf in, List<Object> out) {
    if (in.readableBytes() < Integer.BYTES) {
      return;
    }
    int start = in.readerIndex();
    int length = in.getInt(start);
    if (ClientGreeting.isBegunBy(length)) {
      throw new ClientException();
    }
    requireLength(length);
    if (in.readableBytes() - Integer.BYTES < length) {
      return;
    }
    greeted = true;
    ByteBuf frame = in.skipBytes(Integer.BYTES).readSlice(length);
    int checked = length - FrameChecksum.BYTES;
    if (checked > 0 && isIntact(in, start, Integer.BYTES + checked)) {
      out.add(frame.readRetainedSlice(checked));
    } else if (Handshake.isOfOtherVersion(frame)) {
      out.add(frame.retain());
    } else {
      throw FrameVerifier.altered("The first frame");
    }
  }

  private static boolean isIntact(ByteBuf in, int start, int bytes) {
    int checksum = FrameChecksum.ofThisThread().add(in, start, bytes).value();
    return checksum == in.getInt(start + bytes);
  }

  private void requireLength(int length) {
    if (length < 1 || length > bytesMax) {
      throw new TooLongFrameException(
          "a frame has from 1 to "
              + bytesMax
              + (bytesMax == settings.frameBytesMax()
                  ? " bytes (" + settings.key("frame-size-max") + ")"
                  : " bytes")
              + ", and the length of this one is "
              + Integer.toUnsignedString(length));
    }
  }
}
