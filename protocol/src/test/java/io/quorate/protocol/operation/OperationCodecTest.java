package io.quorate.protocol.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.common.DecodeException;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.protocol.operation.Operation.Kind;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class OperationCodecTest {
  private static final int CASES = 500;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void decodingReturnsTheEncodedOperation(long seed) {
    RandomOperations operations = new RandomOperations(seed);
    for (int i = 0; i < CASES; i++) {
      Operation operation = operations.next();
      ByteBuffer encoded = encode(operation);
      assertThat(encoded.remaining())
          .as("size of %s", operation)
          .isEqualTo(OperationCodec.size(operation));
      assertThat(OperationCodec.decode(encoded)).isEqualTo(operation);
      assertThat(encoded.hasRemaining()).as("bytes left after %s", operation).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {5, 6})
  void encodingKeepsTheBufferPositionsOfTheOperation(long seed) {
    RandomOperations again = new RandomOperations(seed);
    RandomOperations operations = new RandomOperations(seed);
    for (int i = 0; i < CASES; i++) {
      Operation operation = operations.next();
      encode(operation);
      assertThat(operation).isEqualTo(again.next());
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {7, 8})
  void truncatedBytesAreRejected(long seed) {
    RandomOperations operations = new RandomOperations(seed);
    for (int i = 0; i < CASES; i++) {
      ByteBuffer encoded = encode(operations.next());
      for (int length = 0; length < encoded.remaining(); length++) {
        ByteBuffer cut = encoded.slice(0, length);
        assertThatThrownBy(() -> OperationCodec.decode(cut))
            .as("first %d bytes of case %d", length, i)
            .isInstanceOf(DecodeException.class);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {9, 10, 11, 12})
  void corruptBytesAreEitherDecodedOrRejected(long seed) {
    RandomOperations operations = new RandomOperations(seed);
    Random damage = new Random(seed);
    int rejected = 0;
    for (int i = 0; i < 10 * CASES; i++) {
      ByteBuffer encoded = encode(operations.next());
      for (int hits = 1 + damage.nextInt(3); hits > 0; hits--) {
        encoded.put(damage.nextInt(encoded.limit()), (byte) damage.nextInt(256));
      }
      try {
        Operation decoded = OperationCodec.decode(encoded);
        assertThat(encode(decoded).remaining()).isEqualTo(encoded.position());
      } catch (DecodeException e) {
        assertThat(e).hasMessageEndingWith(".");
        rejected++;
      }
    }
    assertThat(rejected).isPositive();
  }

  @ParameterizedTest
  @ValueSource(ints = {5, Integer.MAX_VALUE, -2, Integer.MIN_VALUE})
  void anInvalidValueLengthIsRejectedBeforeAllocation(int claimed) {
    byte[] head = {1, 0, 1, 'k'};
    ByteBuffer put = ByteBuffer.allocate(12).put(head).putInt(claimed).putInt(0).flip();
    assertThatThrownBy(() -> OperationCodec.decode(put))
        .isInstanceOf(DecodeException.class)
        .hasMessageContaining(Integer.toString(claimed));
    ByteBuffer cas = ByteBuffer.allocate(12).put(head).putInt(claimed).putInt(0).flip();
    cas.put(0, (byte) 7);
    assertThatThrownBy(() -> OperationCodec.decode(cas)).isInstanceOf(DecodeException.class);
  }

  @Test
  void aKeyLengthBeyondTheBufferIsRejected() {
    ByteBuffer delete = ByteBuffer.wrap(new byte[] {2, (byte) 0xff, (byte) 0xff, 'k'});
    assertThatThrownBy(() -> OperationCodec.decode(delete)).isInstanceOf(DecodeException.class);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, Integer.MAX_VALUE, -1, Integer.MIN_VALUE})
  void anInvalidBatchCountIsRejectedBeforeAllocation(int claimed) {
    ByteBuffer batch = ByteBuffer.allocate(5).put((byte) 8).putInt(claimed).flip();
    assertThatThrownBy(() -> OperationCodec.decode(batch))
        .isInstanceOf(DecodeException.class)
        .hasMessageContaining(Integer.toString(claimed));
  }

  /** All but those that a batch can hold, and two that do not exist. */
  static List<Byte> tagsOfNoPart() {
    List<Byte> tags = new ArrayList<>(List.of((byte) 0, (byte) -1));
    EnumSet.complementOf(EnumSet.of(Kind.PUT, Kind.DELETE, Kind.APPEND, Kind.INCREMENT))
        .forEach(kind -> tags.add(kind.tag()));
    return tags;
  }

  @ParameterizedTest
  @MethodSource("tagsOfNoPart")
  void aBatchContainsOnlyResultFreeOperations(byte tag) {
    ByteBuffer batch = ByteBuffer.allocate(64).put((byte) 8).putInt(1).put(tag);
    batch.position(0);
    assertThatThrownBy(() -> OperationCodec.decode(batch))
        .isInstanceOf(DecodeException.class)
        .hasMessageContaining("not operation " + tag);
    Operation.OnKey counting = new Operation.IncrementAndGet(Key.utf8("k"), 1);
    assertThatThrownBy(() -> new Operation.Batch(List.of(counting)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  static List<Byte> unknownTags() {
    return List.of((byte) 0, (byte) (Kind.values().length + 1), (byte) 127, (byte) -128);
  }

  @ParameterizedTest
  @MethodSource("unknownTags")
  void anUnknownOperationIsRejectedByNumber(byte tag) {
    ByteBuffer bytes = ByteBuffer.wrap(new byte[] {tag, 0, 0, 0, 0, 0, 0, 0, 0});
    assertThatThrownBy(() -> OperationCodec.decode(bytes))
        .isInstanceOf(DecodeException.class)
        .hasMessage("There is no operation " + tag + ".");
  }

  @Test
  void anOutcomeHasAKnownChangeAndAValidResult() {
    Operation resolved =
        new Operation.Resolved(Key.utf8("k"), 1, 2, ValueChange.NONE, Result.DONE.encoded());
    ByteBuffer change = encode(resolved);
    int changeAt = change.limit() - 1 - Integer.BYTES - 1;
    change.put(changeAt, (byte) 4);
    assertThatThrownBy(() -> OperationCodec.decode(change))
        .isInstanceOf(DecodeException.class)
        .hasMessageContaining("no change 4");
    ByteBuffer result = encode(resolved);
    result.put(result.limit() - 1, (byte) 99);
    assertThatThrownBy(() -> OperationCodec.decode(result))
        .isInstanceOf(DecodeException.class)
        .hasMessageContaining("no result 99");
  }

  @Test
  void aSplitHasAValidChild() {
    ByteBuffer split = encode(new Operation.Split(Key.utf8("k"), new GroupId(7)));
    split.putInt(split.limit() - Integer.BYTES, -1);
    assertThatThrownBy(() -> OperationCodec.decode(split))
        .isInstanceOf(DecodeException.class)
        .hasMessageContaining("-1");
  }

  @Test
  void aKeyBeyondTheMaximumLengthIsNotEncoded() {
    Operation longest = new Operation.Delete(Key.wrap(new byte[Limits.KEY_BYTES_MAX]));
    assertThat(OperationCodec.decode(encode(longest))).isEqualTo(longest);
    Operation tooLong = new Operation.Delete(Key.wrap(new byte[Limits.KEY_BYTES_MAX + 1]));
    assertThatThrownBy(() -> encode(tooLong)).isInstanceOf(DecodeException.class);
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, Limits.VALUE_BYTES_MAX + 1, Integer.MAX_VALUE, Integer.MIN_VALUE})
  void anInvalidBoundOfAnAppendIsRejected(int valueBytesMax) {
    ByteBuffer append = encode(new Operation.Append(Key.utf8("k"), ByteBuffer.allocate(2), 7));
    append.putInt(append.limit() - Integer.BYTES, valueBytesMax);
    assertThatThrownBy(() -> OperationCodec.decode(append))
        .isInstanceOf(DecodeException.class)
        .hasMessageContaining(Integer.toString(valueBytesMax));
  }

  @Test
  void aMissingValueDiffersFromAnEmptyOne() {
    Key key = Key.utf8("k");
    Operation missing = new Operation.CompareAndSet(key, Optional.empty(), Optional.empty());
    Operation empty =
        new Operation.CompareAndSet(
            key, Optional.of(ByteBuffer.allocate(0)), Optional.of(ByteBuffer.allocate(0)));
    assertThat(OperationCodec.decode(encode(missing))).isEqualTo(missing).isNotEqualTo(empty);
    assertThat(OperationCodec.decode(encode(empty))).isEqualTo(empty);
  }

  @Test
  void valuesAreSlicesOfTheDecodedBuffer() {
    ByteBuffer encoded =
        encode(new Operation.Put(Key.utf8("k"), ByteBuffer.wrap(new byte[] {1, 2})));
    Operation.Put put = (Operation.Put) OperationCodec.decode(encoded);
    encoded.put(encoded.limit() - 1, (byte) 9);
    assertThat(put.value()).isEqualTo(ByteBuffer.wrap(new byte[] {1, 9}));
  }

  private static ByteBuffer encode(Operation operation) {
    ByteBuffer buffer = ByteBuffer.allocate(OperationCodec.size(operation));
    OperationCodec.encode(operation, buffer);
    return buffer.flip();
  }

  @Test
  void tooManyOperationsInABatchAreRejectedBeforeDecoding() {
    int count = Limits.BATCH_OPERATIONS_MAX + 1;
    ByteBuffer batch = ByteBuffer.allocate(1 + Integer.BYTES + count).put((byte) 8).putInt(count);
    assertThatThrownBy(() -> OperationCodec.decode(batch.clear()))
        .isInstanceOf(DecodeException.class)
        .hasMessageContaining("at most " + Limits.BATCH_OPERATIONS_MAX);
  }
}
