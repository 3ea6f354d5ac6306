package io.quorate.common;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.zip.CRC32C;

/** CRC-32C, which processors compute with an instruction of their own. */
public final class Checksums {
  private Checksums() {}

  /** The checksum of the bytes between position and limit; does not move the buffer. */
  public static int of(ByteBuffer bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.duplicate());
    return (int) crc.getValue();
  }

  /** The checksum of a text in UTF-8, as eight hexadecimal digits. */
  public static String of(String text) {
    int checksum = of(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    return String.format(Locale.ROOT, "%08x", checksum);
  }
}
