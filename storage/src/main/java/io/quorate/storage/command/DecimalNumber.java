package io.quorate.storage.command;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;

/** Numbers stored in values: decimal digits with an optional minus sign, in 64 bits. */
final class DecimalNumber {
  private DecimalNumber() {}

  /**
   * The number that fills the buffer; empty if it is malformed or out of range. Does not move the
   * buffer.
   */
  static OptionalLong parse(ByteBuffer text) {
    int at = text.position();
    int end = text.limit();
    boolean negative = at < end && text.get(at) == '-';
    if (negative) {
      at++;
    }
    if (at == end) {
      return OptionalLong.empty();
    }
    // Summed as a negative number, since that range includes Long.MIN_VALUE.
    long sum = 0;
    for (; at < end; at++) {
      int digit = text.get(at) - '0';
      if (digit < 0 || digit > 9 || sum < Long.MIN_VALUE / 10) {
        return OptionalLong.empty();
      }
      sum = sum * 10 - digit;
      if (sum > 0) {
        return OptionalLong.empty();
      }
    }
    if (negative) {
      return OptionalLong.of(sum);
    }
    return sum == Long.MIN_VALUE ? OptionalLong.empty() : OptionalLong.of(-sum);
  }

  static ByteBuffer format(long number) {
    return ByteBuffer.wrap(Long.toString(number).getBytes(StandardCharsets.US_ASCII));
  }

  /** The sum; empty on overflow. */
  static OptionalLong add(long left, long right) {
    long sum = left + right;
    return ((left ^ sum) & (right ^ sum)) < 0 ? OptionalLong.empty() : OptionalLong.of(sum);
  }
}
