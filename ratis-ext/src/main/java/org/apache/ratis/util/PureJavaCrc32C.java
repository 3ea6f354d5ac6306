package org.apache.ratis.util;

import io.quorate.ratis.patches.InPlaceOfRatis;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;

/**
 * The checksum of log entries, computed by the JDK with the instruction of the processor. It takes
 * the place of the class of this name in Ratis 3.3.0, which reads tables in Java, one byte of a
 * direct buffer at a time. Both compute CRC-32C, so files of either are readable by the other.
 *
 * <p>Upstream: not reported. Fails without it: {@code StartCheckTest}, which looks for it. Can go
 * when Ratis uses {@code java.util.zip.CRC32C}.
 *
 * <p>Not thread-safe.
 */
@InPlaceOfRatis
public class PureJavaCrc32C implements Checksum {
  private final CRC32C crc = new CRC32C();

  @Override
  public long getValue() {
    return crc.getValue();
  }

  @Override
  public void reset() {
    crc.reset();
  }

  @Override
  public void update(int octet) {
    crc.update(octet);
  }

  @Override
  public void update(byte[] bytes, int offset, int length) {
    crc.update(bytes, offset, length);
  }

  @Override
  public void update(ByteBuffer buffer) {
    crc.update(buffer);
  }
}
