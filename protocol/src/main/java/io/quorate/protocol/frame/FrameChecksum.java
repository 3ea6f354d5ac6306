package io.quorate.protocol.frame;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.FastThreadLocal;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * A CRC-32C of bytes that arrive in parts. Reads the memory of buffers where it is, without a copy.
 * For one thread at a time.
 */
public final class FrameChecksum {
  public static final int BYTES = Integer.BYTES;

  private static final FastThreadLocal<FrameChecksum> OF_THREAD =
      new FastThreadLocal<>() {
        @Override
        protected FrameChecksum initialValue() {
          return new FrameChecksum();
        }
      };

  private final CRC32C crc = new CRC32C();

  /** The instance of this thread, of no bytes; for use until the calling method returns. */
  public static FrameChecksum ofThisThread() {
    return OF_THREAD.get().restart();
  }

  /** Forgets all bytes. */
  public FrameChecksum restart() {
    crc.reset();
    return this;
  }

  /**
   * Adds bytes, whose reader index does not move.
   *
   * @param index the absolute index of the first one
   */
  public FrameChecksum add(ByteBuf bytes, int index, int length) {
    if (length == 0) {
      return this;
    }
    if (bytes.hasArray()) {
      crc.update(bytes.array(), bytes.arrayOffset() + index, length);
    } else if (bytes.nioBufferCount() == 1) {
      crc.update(bytes.internalNioBuffer(index, length));
    } else {
      for (ByteBuffer part : bytes.nioBuffers(index, length)) {
        crc.update(part);
      }
    }
    return this;
  }

  /** The checksum of the bytes so far. */
  public int value() {
    return (int) crc.getValue();
  }
}
