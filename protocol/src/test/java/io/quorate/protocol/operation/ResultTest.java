package io.quorate.protocol.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.common.DecodeException;
import io.quorate.consensus.BodyReference;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ResultTest {
  private static final BodyReference BODY =
      new BodyReference(7, 6, 5, 4, ByteBuffer.wrap(new byte[] {1, 2}));
  private static final Result NEEDS_BODY = new Result.NeedsBody(BODY);

  static Stream<Result> everyKind() {
    Optional<ByteBuffer> value = Optional.of(ByteBuffer.wrap(new byte[] {9, 1, 2, 3, 9}, 1, 3));
    Optional<ByteBuffer> empty = Optional.of(ByteBuffer.allocate(0));
    return Stream.of(
        Result.DONE,
        Result.FORGOTTEN,
        Result.OUTDATED,
        Result.SUPERSEDED,
        Result.OUT_OF_RANGE,
        NEEDS_BODY,
        new Result.Value(value),
        new Result.Value(empty),
        new Result.Value(Optional.empty()),
        new Result.Number(Long.MIN_VALUE),
        new Result.Swap(true, Optional.empty()),
        new Result.Swap(false, value),
        new Result.Swap(false, Optional.empty()),
        new Result.Refused("The value is no number: \u00e4\u20ac."),
        new Result.Refused(""));
  }

  @ParameterizedTest
  @MethodSource("everyKind")
  void decodingReturnsTheEncodedResultAndKeepsTheBufferPosition(Result result) {
    ByteBuffer encoded = result.encoded();
    assertThat(Result.decode(encoded)).isEqualTo(result);
    assertThat(encoded.position()).isZero();
  }

  @ParameterizedTest
  @MethodSource("everyKind")
  void truncatedBytesAreRejectedUnlessTheyAreText(Result result) {
    ByteBuffer encoded = result.encoded();
    int shortest = result instanceof Result.Refused ? 1 : encoded.remaining();
    for (int length = 0; length < shortest; length++) {
      ByteBuffer cut = encoded.slice(0, length);
      assertThatThrownBy(() -> Result.decode(cut))
          .as("first %d bytes", length)
          .isInstanceOf(DecodeException.class);
    }
  }

  @ParameterizedTest
  @MethodSource("everyKind")
  void bytesAfterTheResultAreRejectedUnlessTheyAreText(Result result) {
    ByteBuffer encoded = result.encoded();
    ByteBuffer longer = ByteBuffer.allocate(encoded.remaining() + 1).put(encoded).position(0);
    if (result instanceof Result.Refused) {
      assertThat(Result.decode(longer)).isInstanceOf(Result.Refused.class);
    } else {
      assertThatThrownBy(() -> Result.decode(longer)).isInstanceOf(DecodeException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {4, Integer.MAX_VALUE, -2})
  void anInvalidValueLengthIsRejectedBeforeAllocation(int claimed) {
    ByteBuffer value = ByteBuffer.allocate(8).put((byte) 1).putInt(claimed).position(0);
    assertThatThrownBy(() -> Result.decode(value)).isInstanceOf(DecodeException.class);
  }

  @ParameterizedTest
  @MethodSource("everyKind")
  void onlyResultsThatServersRepeatAreNotRecorded(Result result) {
    ByteBuffer encoded = result.encoded();
    assertThat(Result.isSuperseded(encoded)).isEqualTo(result.equals(Result.SUPERSEDED));
    assertThat(Result.isOutOfRange(encoded)).isEqualTo(result.equals(Result.OUT_OF_RANGE));
    assertThat(Result.neededBody(encoded))
        .isEqualTo(result.equals(NEEDS_BODY) ? Optional.of(BODY) : Optional.empty());
    assertThat(encoded.position()).isZero();
    assertThat(result.isRecorded())
        .isEqualTo(
            !result.equals(NEEDS_BODY)
                && !result.equals(Result.SUPERSEDED)
                && !result.equals(Result.OUT_OF_RANGE));
  }

  @Test
  void anUnknownResultIsRejectedByNumber() {
    assertThatThrownBy(() -> Result.decode(ByteBuffer.wrap(new byte[] {10})))
        .isInstanceOf(DecodeException.class)
        .hasMessage("There is no result 10.");
  }
}
