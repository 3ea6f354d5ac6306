package io.quorate.rabia.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.quorate.common.DecodeException;
import io.quorate.consensus.Member;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.rabia.protocol.Ballot;
import io.quorate.rabia.protocol.Batch;
import io.quorate.rabia.protocol.BatchId;
import io.quorate.rabia.protocol.Body;
import io.quorate.rabia.protocol.Checkpoint;
import io.quorate.rabia.protocol.Configuration;
import io.quorate.rabia.protocol.Decided;
import io.quorate.rabia.protocol.LogRecord;
import io.quorate.rabia.protocol.Message;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class CodecTest {
  private static final int ROUNDS = 150;

  /** The two codecs, which must pass the same tests. */
  enum Kind {
    MESSAGE(
        (value, to) -> MessageCodec.write((Message) value, to),
        MessageCodec::read,
        RandomProtocol::messages),
    RECORD(
        (value, to) -> RecordCodec.write((LogRecord) value, to),
        RecordCodec::read,
        RandomProtocol::records);

    private final BiConsumer<Object, ByteBuf> write;
    private final Function<ByteBuf, Object> read;
    private final Function<RandomProtocol, List<?>> values;

    Kind(
        BiConsumer<Object, ByteBuf> write,
        Function<ByteBuf, Object> read,
        Function<RandomProtocol, List<?>> values) {
      this.write = write;
      this.read = read;
      this.values = values;
    }

    byte[] encode(Object value) {
      ByteBuf buffer = Unpooled.buffer();
      write.accept(value, buffer);
      byte[] bytes = new byte[buffer.readableBytes()];
      buffer.readBytes(bytes);
      return bytes;
    }

    Object decode(byte[] bytes) {
      return read.apply(Unpooled.wrappedBuffer(bytes));
    }
  }

  private final long seed = new Random().nextLong();
  private final Random random = new Random(seed);
  private final RandomProtocol values = new RandomProtocol(random);

  @ParameterizedTest
  @EnumSource
  void decodingReturnsTheEncodedValue(Kind kind) {
    for (int round = 0; round < ROUNDS; round++) {
      for (Object value : kind.values.apply(values)) {
        assertThat(kind.decode(kind.encode(value))).as("seed %d", seed).isEqualTo(value);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void everyTruncatedEncodingIsRefused(Kind kind) {
    for (int round = 0; round < ROUNDS / 10; round++) {
      for (Object value : kind.values.apply(values)) {
        byte[] bytes = kind.encode(value);
        for (int length = 0; length < bytes.length; length++) {
          byte[] truncated = Arrays.copyOf(bytes, length);
          assertThatThrownBy(() -> kind.decode(truncated))
              .as("seed %d, %d bytes of %s", seed, length, value)
              .isInstanceOf(DecodeException.class);
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void trailingBytesAreRefused(Kind kind) {
    for (Object value : kind.values.apply(values)) {
      byte[] bytes = kind.encode(value);
      byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
      assertThatThrownBy(() -> kind.decode(longer))
          .as("seed %d, %s", seed, value)
          .isInstanceOf(DecodeException.class);
    }
  }

  @ParameterizedTest
  @EnumSource
  void damagedBytesAreRefusedOrDecodeToAValidValue(Kind kind) {
    int refused = 0;
    for (int round = 0; round < ROUNDS; round++) {
      for (Object value : kind.values.apply(values)) {
        byte[] bytes = kind.encode(value);
        for (int flips = 1 + random.nextInt(4); flips > 0; flips--) {
          bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
        }
        refused += isRefused(kind, bytes) ? 1 : 0;
      }
    }
    assertThat(refused).as("seed %d", seed).isPositive();
  }

  @ParameterizedTest
  @EnumSource
  void randomBytesAreRefusedOrDecodeToAValidValue(Kind kind) {
    int refused = 0;
    for (int round = 0; round < 20 * ROUNDS; round++) {
      byte[] bytes = new byte[1 + random.nextInt(100)];
      random.nextBytes(bytes);
      bytes[0] = (byte) random.nextInt(17);
      refused += isRefused(kind, bytes) ? 1 : 0;
    }
    assertThat(refused).as("seed %d", seed).isPositive();
  }

  /** Any exception except {@link DecodeException} fails the test. */
  private boolean isRefused(Kind kind, byte[] bytes) {
    try {
      Object read = kind.decode(bytes);
      assertThat(kind.decode(kind.encode(read)))
          .as("seed %d, %s", seed, HexFormat.of().formatHex(bytes))
          .isEqualTo(read);
      return false;
    } catch (DecodeException e) {
      assertThat(e.getMessage()).endsWith(".");
      return true;
    } catch (RuntimeException e) {
      throw new AssertionError("seed " + seed + ", " + HexFormat.of().formatHex(bytes), e);
    }
  }

  /** Type 2 is a request: the id of "a", a timestamp, then commands with these lengths. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "7fffffff 00000000",
        "ffffffff",
        "00000001 7fffffff",
        "00000001 80000000",
        "00000003 7fffffff 7fffffff 7fffffff",
        "00000002 80000000 80000000"
      })
  void lengthsOfCommandsAreNotTrusted(String hostile) {
    String request = "02" + "0161" + "00" + "00" + "00".repeat(16) + "00".repeat(8) + "01";
    byte[] bytes = HexFormat.of().parseHex(request + hostile.replace(" ", ""));
    assertThatThrownBy(() -> MessageCodec.read(Unpooled.wrappedBuffer(bytes)))
        .isInstanceOf(DecodeException.class);
  }

  /** Type 13 is decisions from slot 0 on, type 14 an offer at 0:0. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "0d 00 ffffffff07",
        "0d 00 ffffffffffffffffff01",
        "0d 00 ffffffffffffffffffff01",
        "0e 00 00 ffffffff07",
        "0e 00 00 00",
        "0e 00 00 01 00 00 ffffffff07",
        "0e 00 00 01 00 00 01 0161 ffffffff07",
        "0e 00 00 01 00 00 01 0161 01 61 0001 ffffffff07",
        "0e 00 00 01 00 00 01 0161 01 61 0001 01 0161 ffffffff07",
        "0e 00 00 01 00 00 01 0161 01 61 0001 01 0161 01 00 00 ffffffff07"
      })
  void countsAreNotTrusted(String hostile) {
    byte[] bytes = HexFormat.of().parseHex(hostile.replace(" ", ""));
    assertThatThrownBy(() -> MessageCodec.read(Unpooled.wrappedBuffer(bytes)))
        .isInstanceOf(DecodeException.class);
  }

  @Test
  void invalidMembersAreRefused() {
    String twice = "0161 01 61 0001 0161 01 62 0001";
    assertThatThrownBy(() -> decodeOffer("0e 00 00 01 00 00 02" + twice + "00"))
        .isInstanceOf(DecodeException.class)
        .hasMessageContaining("1 to 7 different members");
    String origin = "0161 00";
    assertThatThrownBy(
            () -> decodeOffer("0e 00 00 01 00 00 01 0161 01 61 0001 02" + origin + origin))
        .isInstanceOf(DecodeException.class)
        .hasMessageContaining("twice");
  }

  private static Message decodeOffer(String hex) {
    return MessageCodec.read(Unpooled.wrappedBuffer(HexFormat.of().parseHex(hex.replace(" ", ""))));
  }

  @Test
  void commandsOutliveTheBufferAndStayIntact() {
    Batch batch = values.batch();
    ByteBuf buffer = Unpooled.directBuffer();
    MessageCodec.write(new Message.Request(batch), buffer);
    Message.Request read = (Message.Request) MessageCodec.read(buffer);
    buffer.setZero(0, buffer.capacity());
    buffer.release();
    assertThat(read.batch()).as("seed %d", seed).isEqualTo(batch);
    assertThat(read.batch().isIntact()).as("seed %d", seed).isTrue();
  }

  @Test
  void writingKeepsThePositionsOfCommands() {
    ByteBuffer command = ByteBuffer.wrap(new byte[] {1, 2, 3}).position(1);
    Batch batch = Batch.of(new NodeId("a"), 0, 0, 0, new Body.Commands(List.of(command)));
    MessageCodec.write(new Message.Request(batch), Unpooled.buffer());
    assertThat(command.remaining()).isEqualTo(2);
  }

  @Test
  void votesAreShort() {
    BatchId id = Batch.of(new NodeId("n1"), 3, 1_000_000, 0, new Body.Commands(List.of())).id();
    Position at = new Position(1, 3_000_000);
    assertThat(Kind.MESSAGE.encode(new Message.Vote(at, 1, Ballot.ONE, id))).hasSize(31);
    assertThat(Kind.MESSAGE.encode(new Message.Proposal(at, BatchId.NONE))).hasSize(7);
  }

  @Test
  void equalCheckpointsHaveEqualEncodings() {
    Checkpoint checkpoint = values.checkpoint();
    Map<NodeId, List<Checkpoint.ExecutedIncarnation>> inOtherOrder =
        new TreeMap<>(Comparator.reverseOrder());
    inOtherOrder.putAll(checkpoint.executed());
    Checkpoint equal = new Checkpoint(checkpoint.at(), checkpoint.configurations(), inOtherOrder);
    assertThat(Kind.MESSAGE.encode(new Message.SnapshotOffer(equal)))
        .as("seed %d", seed)
        .isEqualTo(Kind.MESSAGE.encode(new Message.SnapshotOffer(checkpoint)));
  }

  @Test
  void valuesThatCouldNotBeDecodedAreNotEncoded() {
    Member resolved =
        new Member(new NodeId("a"), new InetSocketAddress(InetAddress.getLoopbackAddress(), 1));
    Checkpoint checkpoint = Checkpoint.initial(Configuration.first(List.of(resolved)));
    assertThatThrownBy(
            () -> MessageCodec.write(new Message.SnapshotOffer(checkpoint), Unpooled.buffer()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("looked up");
    Decided renamed = new Decided(BatchId.NONE, Optional.of(values.batch()));
    assertThatThrownBy(
            () ->
                RecordCodec.write(
                    new LogRecord.SlotDecided(Position.NONE, renamed), Unpooled.buffer()))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
