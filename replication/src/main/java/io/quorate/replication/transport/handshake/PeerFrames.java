package io.quorate.replication.transport.handshake;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.quorate.common.DecodeException;
import io.quorate.protocol.frame.CheckedFrame;
import io.quorate.protocol.frame.FrameChecksum;
import java.nio.charset.StandardCharsets;

/** Encodes and decodes the parts that frames have in common. */
public final class PeerFrames {
  /** The maximum length of a frame before the handshake is complete. */
  public static final int HANDSHAKE_BYTES_MAX = 1024;

  /** The length of a header: the type. */
  public static final int HEADER_BYTES = 1;

  /** The maximum length of a detail in a frame, in bytes; a longer one is cut. */
  private static final int DETAIL_BYTES_MAX = 768;

  private PeerFrames() {}

  /** Begins a frame, which {@link #end} completes. */
  public static ByteBuf begin(ByteBufAllocator allocator, FrameType type, int bodyBytes) {
    int bytes = CheckedFrame.OVERHEAD_BYTES + HEADER_BYTES + bodyBytes;
    return CheckedFrame.begin(allocator.ioBuffer(bytes)).writeByte(type.code());
  }

  /** Fills in the length and the checks. */
  public static ByteBuf end(ByteBuf frame) {
    return CheckedFrame.end(frame, HEADER_BYTES);
  }

  /**
   * Fills in the length and the check of a frame whose last bytes are in another buffer.
   *
   * @return the checksum, which is to follow those bytes
   */
  public static int end(ByteBuf frame, ByteBuf rest) {
    return CheckedFrame.end(frame, HEADER_BYTES, rest);
  }

  /** Begins the first frame of a connection's direction, which {@link #endGreeting} completes. */
  public static ByteBuf beginGreeting(ByteBufAllocator allocator, FrameType type) {
    return allocator.ioBuffer(HANDSHAKE_BYTES_MAX / 4).writeInt(0).writeByte(type.code());
  }

  /** Fills in the length of a first frame, which includes its checksum, and appends that. */
  public static ByteBuf endGreeting(ByteBuf frame) {
    int bytes = frame.readableBytes();
    endPlainGreeting(frame, FrameChecksum.BYTES);
    int checksum = FrameChecksum.ofThisThread().add(frame, frame.readerIndex(), bytes).value();
    return frame.writeInt(checksum);
  }

  /** Fills in the length of a first frame without a checksum, as every version reads it. */
  static ByteBuf endPlainGreeting(ByteBuf frame) {
    return endPlainGreeting(frame, 0);
  }

  private static ByteBuf endPlainGreeting(ByteBuf frame, int followingBytes) {
    int length = frame.readableBytes() - Integer.BYTES + followingBytes;
    return frame.setInt(frame.readerIndex(), length);
  }

  public static ByteBuf keepAlive(ByteBufAllocator allocator) {
    return end(begin(allocator, FrameType.KEEP_ALIVE, 0));
  }

  public static ByteBuf failure(ByteBufAllocator allocator, long correlation, String detail) {
    ByteBuf frame = begin(allocator, FrameType.FAILURE, Long.BYTES + DETAIL_BYTES_MAX);
    frame.writeLong(correlation);
    writeDetail(frame, detail);
    return end(frame);
  }

  static void writeDetail(ByteBuf frame, String detail) {
    byte[] bytes = detail.getBytes(StandardCharsets.UTF_8);
    frame.writeBytes(bytes, 0, Math.min(bytes.length, DETAIL_BYTES_MAX));
  }

  /** Reads the rest of a frame as text for a log: one line of at most the maximum length. */
  public static String readDetail(ByteBuf frame) {
    int bytes = Math.min(frame.readableBytes(), DETAIL_BYTES_MAX);
    return frame.readString(bytes, StandardCharsets.UTF_8).replaceAll("\\p{Cntrl}", " ");
  }

  /** Reads the type of a frame. */
  public static FrameType readType(ByteBuf frame) {
    int code = frame.isReadable() ? frame.readUnsignedByte() : 0;
    return FrameType.of(code).orElseThrow(() -> new DecodeException("unknown frame type " + code));
  }
}
