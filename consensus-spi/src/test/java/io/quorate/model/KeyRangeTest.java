package io.quorate.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class KeyRangeTest {
  private static final Key A = Key.utf8("a");
  private static final Key B = Key.utf8("b");
  private static final Key C = Key.utf8("c");

  @Test
  void theStartIsInclusiveAndTheEndIsExclusive() {
    KeyRange range = KeyRange.of(A, C);
    assertThat(range.contains(A)).isTrue();
    assertThat(range.contains(B)).isTrue();
    assertThat(range.contains(C)).isFalse();
    assertThat(range.contains(Key.EMPTY)).isFalse();
    assertThat(range.isBeforeEnd(Key.EMPTY)).isTrue();
    assertThat(KeyRange.ALL.contains(Key.EMPTY)).isTrue();
    assertThat(KeyRange.from(B).contains(Key.wrap(new byte[] {-1, -1}))).isTrue();
  }

  @Test
  void aRangeThatEndsAtItsStartIsEmptyAndOneThatEndsEarlierIsInvalid() {
    assertThat(KeyRange.of(A, A).isEmpty()).isTrue();
    assertThat(KeyRange.of(A, A).contains(A)).isFalse();
    assertThat(KeyRange.of(A, A.next()).isEmpty()).isFalse();
    assertThatThrownBy(() -> KeyRange.of(B, A))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"b\"");
  }

  /** Whatever the bound of a part is, the part has no key of outside. */
  @Test
  void aPartOfARangeStaysWithinIt() {
    KeyRange range = KeyRange.of("b", "d");
    assertThat(range.startingAt(C)).isEqualTo(KeyRange.of("c", "d"));
    assertThat(range.startingAt(A)).isEqualTo(range);
    assertThat(range.startingAt(Key.utf8("e")).isEmpty()).isTrue();
    assertThat(range.endingBefore(C)).isEqualTo(KeyRange.of("b", "c"));
    assertThat(range.endingBefore(Key.utf8("e"))).isEqualTo(range);
    assertThat(range.endingBefore(A).isEmpty()).isTrue();
    assertThat(KeyRange.ofPrefix("b")).isEqualTo(KeyRange.of("b", "c"));
  }

  @Test
  void textThatUtf8CannotEncodeIsRefused() {
    assertThatThrownBy(() -> KeyRange.ofPrefix("a\ud800"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("half of a surrogate pair");
  }

  /**
   * For all pairs of ranges with a few bounds: the intersection contains exactly the common keys.
   */
  @Test
  void anIntersectionContainsTheKeysOfBothRanges() {
    List<Key> keys = List.of(Key.EMPTY, A, A.next(), B, C, C.next());
    List<KeyRange> ranges = new ArrayList<>();
    for (Key start : keys) {
      ranges.add(KeyRange.from(start));
      keys.stream()
          .filter(end -> end.compareTo(start) >= 0)
          .forEach(end -> ranges.add(KeyRange.of(start, end)));
    }
    for (KeyRange one : ranges) {
      for (KeyRange other : ranges) {
        KeyRange both = one.intersect(other);
        for (Key key : keys) {
          assertThat(both.contains(key))
              .as("%s in %s and %s", key, one, other)
              .isEqualTo(one.contains(key) && other.contains(key));
        }
        assertThat(other.intersect(one)).isEqualTo(both);
      }
    }
    assertThat(KeyRange.of(A, B).intersect(KeyRange.of(C, C.next())))
        .isEqualTo(new KeyRange(C, Optional.of(C)));
  }

  @Test
  void aRangeCoversThoseWithoutOtherKeys() {
    KeyRange range = KeyRange.of(B, C);
    assertThat(range.covers(range)).isTrue();
    assertThat(range.covers(KeyRange.of(B, B.next()))).isTrue();
    assertThat(range.covers(KeyRange.of(A, C))).isFalse();
    assertThat(range.covers(KeyRange.of(B, C.next()))).isFalse();
    assertThat(range.covers(KeyRange.from(B))).isFalse();
    assertThat(range.covers(KeyRange.of(A, A))).as("no keys").isTrue();
    assertThat(KeyRange.from(B).covers(KeyRange.from(C))).isTrue();
    assertThat(KeyRange.ALL.covers(range)).isTrue();
  }

  @Test
  void decodingReturnsTheEncodedRange() {
    for (KeyRange range : List.of(KeyRange.ALL, KeyRange.of(A, B), KeyRange.from(C.next()))) {
      ByteBuffer encoded = range.write(ByteBuffer.allocate(range.encodedBytes()));
      assertThat(encoded.hasRemaining()).isFalse();
      encoded.flip();
      assertThat(KeyRange.read(encoded)).isEqualTo(range);
      for (int length = 0; length < encoded.limit(); length++) {
        ByteBuffer cut = encoded.slice(0, length);
        assertThatThrownBy(() -> KeyRange.read(cut)).isInstanceOf(BufferUnderflowException.class);
      }
    }
  }

  @Test
  void aPrefixRangeEndsBeforeTheNextPrefix() {
    assertThat(KeyRange.ofPrefix(A)).isEqualTo(KeyRange.of(A, B));
    Key high = Key.wrap(new byte[] {1, (byte) 0xff});
    assertThat(KeyRange.ofPrefix(high)).isEqualTo(KeyRange.of(high, Key.wrap(new byte[] {2})));
    Key highest = Key.wrap(new byte[] {(byte) 0xff});
    assertThat(KeyRange.ofPrefix(highest)).isEqualTo(KeyRange.from(highest));
    assertThat(KeyRange.ofPrefix(Key.EMPTY)).isEqualTo(KeyRange.ALL);
  }

  @Test
  void anOpenEndIsPrinted() {
    assertThat(KeyRange.of(A, B)).hasToString("[\"a\", \"b\")");
    assertThat(KeyRange.from(A)).hasToString("[\"a\", end)");
  }
}
