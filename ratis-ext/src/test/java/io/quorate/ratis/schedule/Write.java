package io.quorate.ratis.schedule;

import io.quorate.model.Key;
import java.nio.ByteBuffer;
import java.util.OptionalLong;
import java.util.Random;

/**
 * A put of a value that no other put has.
 *
 * @param number names the write, and the value
 * @param bytes the length of the value, at least 8
 */
record Write(long number, Key key, int bytes, long startNanos) {
  enum Fate {
    /** Acknowledged. */
    DONE,
    /** It may have taken effect, or may yet. */
    UNKNOWN,
    /** It has no effect, ever. */
    REFUSED
  }

  /**
   * What became of a write.
   *
   * @param index of the position at which it took effect, if that is known
   */
  record Outcome(Write write, Fate fate, OptionalLong index, long endNanos) {

    /** Whether it took effect before another write did, in every order that explains both. */
    boolean precedes(Outcome other) {
      if (fate != Fate.DONE) {
        return false;
      }
      return index.isPresent() && other.index.isPresent()
          ? index.getAsLong() < other.index.getAsLong()
          : endNanos - other.write.startNanos < 0;
    }
  }

  /** Random, after the number of the write. */
  ByteBuffer value() {
    byte[] value = new byte[bytes];
    new Random(number).nextBytes(value);
    return ByteBuffer.wrap(value).putLong(0, number);
  }

  /** The number of the write of a value. */
  static long numberOf(ByteBuffer value) {
    return value.getLong(value.position());
  }
}
