package io.quorate.ratis.erasure;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** CRC-32C, which processors compute with an instruction of their own. */
final class Checksums {
  private Checksums() {}

  /** The checksum of the bytes between position and limit; does not move the buffer. */
  static int of(ByteBuffer bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.duplicate());
    return (int) crc.getValue();
  }
}
