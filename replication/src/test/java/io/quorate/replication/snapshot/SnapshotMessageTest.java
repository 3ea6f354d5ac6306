package io.quorate.replication.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.model.Position;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class SnapshotMessageTest {
  static Stream<SnapshotMessage> everyKind() {
    UUID id = new UUID(1, -2);
    return Stream.of(
        new SnapshotMessage.Open("n1"),
        new SnapshotMessage.Opened(id, new Position(3, 4), List.of()),
        new SnapshotMessage.Opened(
            id,
            new Position(3, Long.MAX_VALUE),
            List.of(
                new SnapshotMessage.FileEntry("a.sst", 1L << 40),
                new SnapshotMessage.FileEntry("b", 0))),
        new SnapshotMessage.Read(id, "a.sst", 1L << 33, 65536),
        new SnapshotMessage.Done(id));
  }

  @ParameterizedTest
  @MethodSource("everyKind")
  void decodingReturnsTheEncodedMessage(SnapshotMessage message) throws IOException {
    assertThat(SnapshotMessage.decode(message.encoded())).isEqualTo(message);
  }

  @ParameterizedTest
  @MethodSource("everyKind")
  void truncatedBytesAreRejected(SnapshotMessage message) {
    ByteBuffer whole = message.encoded();
    for (int length = 0; length < whole.remaining(); length++) {
      ByteBuffer cut = whole.slice(0, length);
      assertThatThrownBy(() -> SnapshotMessage.decode(cut))
          .as("first %d bytes", length)
          .isInstanceOf(IOException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(bytes = {0, 5, -1})
  void anUnknownKindIsRejected(byte kind) {
    assertThatThrownBy(() -> SnapshotMessage.decode(ByteBuffer.wrap(new byte[] {kind})))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(Byte.toString(kind));
  }

  @Test
  void aNegativeNumberOfFilesIsRejected() {
    byte[] bytes = new byte[1 + 16 + 16 + 4];
    bytes[0] = SnapshotMessage.OPENED;
    bytes[bytes.length - 4] = (byte) 0x80;
    assertThatThrownBy(() -> SnapshotMessage.decode(ByteBuffer.wrap(bytes)))
        .isInstanceOf(IOException.class);
  }
}
