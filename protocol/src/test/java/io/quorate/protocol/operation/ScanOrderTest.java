package io.quorate.protocol.operation;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class ScanOrderTest {
  private static final KeyRange RANGE = KeyRange.of(Key.utf8("b"), Key.utf8("d"));

  @Test
  void aScanStartsAtOneEndOfItsRange() {
    assertThat(ScanOrder.FORWARD.firstKey(RANGE)).isEqualTo(Key.utf8("b"));
    Key highest = ScanOrder.REVERSE.firstKey(RANGE);
    assertThat(RANGE.contains(highest)).isTrue();
    assertThat(highest.next(Limits.KEY_BYTES_MAX)).isEqualTo(Key.utf8("d"));
    assertThat(ScanOrder.REVERSE.firstKey(KeyRange.ALL))
        .isEqualTo(Key.highest(Limits.KEY_BYTES_MAX));
    assertThat(ScanOrder.REVERSE.firstKey(KeyRange.of(Key.EMPTY, Key.EMPTY))).isEqualTo(Key.EMPTY);
  }

  @Test
  void theRestOfARangeExcludesTheLastRow() {
    Key last = Key.utf8("c");
    KeyRange above = ScanOrder.FORWARD.rest(RANGE, ScanOrder.FORWARD.boundAfter(last));
    assertThat(above).isEqualTo(KeyRange.of(last.next(), Key.utf8("d")));
    KeyRange below = ScanOrder.REVERSE.rest(RANGE, ScanOrder.REVERSE.boundAfter(last));
    assertThat(below).isEqualTo(KeyRange.of(Key.utf8("b"), last));
  }

  @Test
  void aBoundIsNoLongerThanAKeyMayBe() {
    byte[] longest = new byte[Limits.KEY_BYTES_MAX];
    Arrays.fill(longest, (byte) 'k');
    Key bound = ScanOrder.FORWARD.boundAfter(Key.wrap(longest));
    assertThat(bound.size()).isLessThanOrEqualTo(Limits.KEY_BYTES_MAX);
    assertThat(bound).isGreaterThan(Key.wrap(longest));
  }

  @Test
  void reverseOrderIsTheOpposite() {
    assertThat(ScanOrder.FORWARD.compare(Key.utf8("b"), Key.utf8("c"))).isNegative();
    assertThat(ScanOrder.REVERSE.compare(Key.utf8("b"), Key.utf8("c"))).isPositive();
  }
}
