package io.quorate.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class SectorsTest {
  @Test
  void theNextSectorIsNotTheCurrentOne() {
    assertThat(Sectors.after(0)).isEqualTo(512);
    assertThat(Sectors.after(511)).isEqualTo(512);
    assertThat(Sectors.after(512)).isEqualTo(1024);
  }

  @Test
  void checksExactlyTheBytesOfTheRange() {
    ByteBuffer file = ByteBuffer.allocate(1024).put(99, (byte) 1).put(200, (byte) 1);

    assertThat(Sectors.isZero(file, 100, 200)).isTrue();
    assertThat(Sectors.isZero(file, 99, 200)).isFalse();
    assertThat(Sectors.isZero(file, 100, 201)).isFalse();
    assertThat(Sectors.isZero(file, 99, 99)).isTrue();
  }
}
