package io.quorate.protocol.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.common.DecodeException;
import io.quorate.model.Key;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClientCommandTest {
  private static final Operation DELETE = new Operation.Delete(Key.utf8("k"));

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void decodingReturnsTheEncodedCommandAndKeepsTheBufferPosition(long seed) {
    RandomOperations operations = new RandomOperations(seed);
    for (int i = 0; i < 300; i++) {
      ClientCommand request = operations.nextTagged();
      ByteBuffer encoded = request.encoded();
      assertThat(encoded.remaining()).isEqualTo(request.size());
      assertThat(ClientCommand.decode(encoded)).isEqualTo(request);
      assertThat(encoded.position()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {4, 5})
  void truncatedBytesAreRejected(long seed) {
    RandomOperations operations = new RandomOperations(seed);
    for (int i = 0; i < 100; i++) {
      ByteBuffer encoded = operations.nextTagged().encoded();
      for (int length = 0; length < encoded.remaining(); length++) {
        ByteBuffer cut = encoded.slice(0, length);
        assertThatThrownBy(() -> ClientCommand.decode(cut))
            .as("first %d bytes of case %d", length, i)
            .isInstanceOf(DecodeException.class);
      }
    }
  }

  @Test
  void bytesAfterTheOperationAreRejected() {
    ByteBuffer encoded = new ClientCommand(RequestId.NONE, DELETE).encoded();
    ByteBuffer longer = ByteBuffer.allocate(encoded.remaining() + 3).put(encoded).position(0);
    assertThatThrownBy(() -> ClientCommand.decode(longer))
        .isInstanceOf(DecodeException.class)
        .hasMessageContaining("3 bytes");
  }

  @ParameterizedTest
  @CsvSource({"5, 6", "5, -1", "-1, 0", "-1, -2"})
  void aFloorOutsideZeroToTheSequenceIsRejected(long sequence, long floor) {
    ByteBuffer encoded = new ClientCommand(RequestId.NONE, DELETE).encoded();
    encoded.putLong(16, sequence).putLong(24, floor);
    assertThatThrownBy(() -> ClientCommand.decode(encoded))
        .isInstanceOf(DecodeException.class)
        .hasMessageContaining("floor " + floor)
        .hasMessageEndingWith(".");
    assertThatThrownBy(() -> new RequestId(ClientId.random(), sequence, floor))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** A floor of that height stands for a session that has ended. */
  @Test
  void aSequenceNearTheHighestNumberIsRejected() {
    ByteBuffer encoded = new ClientCommand(RequestId.NONE, DELETE).encoded();
    encoded.putLong(16, RequestId.SEQUENCE_MAX + 1);
    assertThatThrownBy(() -> ClientCommand.decode(encoded))
        .isInstanceOf(DecodeException.class)
        .hasMessageContaining("sequence is at most");
    encoded.putLong(16, RequestId.SEQUENCE_MAX);
    assertThat(ClientCommand.decode(encoded).tag().sequence()).isEqualTo(RequestId.SEQUENCE_MAX);
  }

  @Test
  void onlyRequestsWithAClientIdAreTracked() {
    assertThat(RequestId.NONE.isTracked()).isFalse();
    assertThat(new RequestId(ClientId.random(), 1, 1).isTracked()).isTrue();
    assertThat(ClientId.random()).isNotEqualTo(ClientId.random());
  }
}
