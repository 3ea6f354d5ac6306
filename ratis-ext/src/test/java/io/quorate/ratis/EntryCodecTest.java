package io.quorate.ratis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.consensus.Command;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EntryCodecTest {
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void encodedCommandsAreDecodedUnchanged(long seed) {
    Random random = new Random(seed);
    List<Command> commands = new ArrayList<>();
    int size = 5;
    for (int i = random.nextInt(20); i > 0; i--) {
      byte[] payload = new byte[random.nextInt(300)];
      random.nextBytes(payload);
      commands.add(new Command(ByteBuffer.wrap(payload)));
      size += payload.length + EntryCodec.COMMAND_OVERHEAD_BYTES;
    }
    ByteBuffer entry = EntryCodec.encode(commands);
    assertThat(entry.remaining()).isEqualTo(size);
    assertThat(EntryCodec.decode(entry))
        .isEqualTo(commands.stream().map(Command::payload).toList());
  }

  @Test
  void aCommandIsReadWithinItsBoundsAndItsBufferIsUnchanged() {
    ByteBuffer payload = ByteBuffer.wrap(new byte[] {9, 1, 2, 9}).position(1).limit(3);
    ByteBuffer entry = EntryCodec.encode(List.of(new Command(payload)));
    assertThat(EntryCodec.decode(entry)).containsExactly(ByteBuffer.wrap(new byte[] {1, 2}));
    assertThat(payload.position()).isEqualTo(1);
    assertThat(payload.limit()).isEqualTo(3);
  }

  @Test
  void anEntryWithOneCommandHasTheStatedOverhead() {
    ByteBuffer entry = EntryCodec.encode(List.of(new Command(ByteBuffer.allocate(100))));
    assertThat(entry.remaining()).isEqualTo(100 + EntryCodec.overheadBytes());
  }

  @Test
  void decodedCommandsAreReadOnly() {
    ByteBuffer entry = EntryCodec.encode(List.of(new Command(ByteBuffer.allocate(3))));
    assertThat(EntryCodec.decode(entry).get(0).isReadOnly()).isTrue();
    assertThat(entry.position()).isZero();
  }

  @Test
  void anUnknownFormatIsRejectedByNumber() {
    assertThatThrownBy(() -> EntryCodec.decode(ByteBuffer.wrap(new byte[] {2, 0, 0, 0, 0})))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("format 2");
  }

  @Test
  void aTruncatedEntryIsRejected() {
    ByteBuffer entry =
        EntryCodec.encode(
            List.of(new Command(ByteBuffer.allocate(3)), new Command(ByteBuffer.allocate(2))));
    for (int length = 0; length < entry.remaining(); length++) {
      ByteBuffer truncated = entry.slice(0, length);
      assertThatThrownBy(() -> EntryCodec.decode(truncated))
          .as("first %d bytes", length)
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 1, Integer.MAX_VALUE, Integer.MIN_VALUE})
  void aCountOrLengthBeyondTheEntryIsRejectedBeforeAllocation(int claimed) {
    ByteBuffer count = ByteBuffer.allocate(5).put((byte) 1).putInt(claimed).flip();
    assertThatThrownBy(() -> EntryCodec.decode(count)).isInstanceOf(IllegalArgumentException.class);
    ByteBuffer length = ByteBuffer.allocate(9).put((byte) 1).putInt(1).putInt(claimed).flip();
    assertThatThrownBy(() -> EntryCodec.decode(length))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
