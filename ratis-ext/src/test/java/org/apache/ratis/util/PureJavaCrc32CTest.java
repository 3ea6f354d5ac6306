package org.apache.ratis.util;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class PureJavaCrc32CTest {
  /** The check value of CRC-32C (RFC 3720, appendix B.4, and the catalogue of CRC algorithms). */
  private static final long OF_NINE_DIGITS = 0xE3069283L;

  private static final byte[] NINE_DIGITS = "123456789".getBytes(StandardCharsets.US_ASCII);

  @Test
  void itComputesTheChecksumOfRatisLogs() {
    PureJavaCrc32C checksum = new PureJavaCrc32C();
    checksum.update(NINE_DIGITS, 0, NINE_DIGITS.length);
    assertThat(checksum.getValue()).isEqualTo(OF_NINE_DIGITS);

    checksum.reset();
    ByteBuffer direct = ByteBuffer.allocateDirect(NINE_DIGITS.length).put(NINE_DIGITS).flip();
    checksum.update(direct);
    assertThat(checksum.getValue()).isEqualTo(OF_NINE_DIGITS);
    assertThat(direct.hasRemaining()).isFalse();

    checksum.reset();
    for (byte digit : NINE_DIGITS) {
      checksum.update(digit);
    }
    assertThat(checksum.getValue()).isEqualTo(OF_NINE_DIGITS);
  }
}
