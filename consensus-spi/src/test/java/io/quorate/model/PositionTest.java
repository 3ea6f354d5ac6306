package io.quorate.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class PositionTest {
  @Test
  void theEncodingIsEpochThenIndex() {
    Position position = new Position(3, -2);

    ByteBuffer bytes = position.write(ByteBuffer.allocate(Position.BYTES)).flip();

    assertThat(bytes.duplicate().getLong()).isEqualTo(3);
    assertThat(bytes.getLong(Long.BYTES)).isEqualTo(-2);
    assertThat(Position.read(bytes)).isEqualTo(position);
    assertThat(bytes.hasRemaining()).isFalse();
    assertThatThrownBy(() -> Position.read(ByteBuffer.allocate(Position.BYTES - 1)))
        .isInstanceOf(BufferUnderflowException.class);
  }
}
