package io.quorate.client.internal;

import io.quorate.client.IndeterminateException;
import io.quorate.client.RefusedException;
import io.quorate.client.WriteOutcome;
import io.quorate.common.DecodeException;
import io.quorate.common.Utf8;
import io.quorate.model.Position;
import java.util.Optional;

/** What responses say, as callers get it. */
final class Outcomes {
  private Outcomes() {}

  /** The text of a value that was read. */
  static String textOf(String key, byte[] value) {
    return Utf8.text(value)
        .orElseThrow(
            () ->
                new RefusedException(
                    "The value of key \"" + key + "\" is not text in UTF-8; read it as bytes."));
  }

  /** The text of a value that a write has replaced. */
  static String textBefore(String key, byte[] value) {
    return Utf8.text(value)
        .orElseThrow(
            () ->
                new IndeterminateException(
                    "The write has taken effect, but the value that key \""
                        + key
                        + "\" had before is not text in UTF-8 and cannot be returned as such."));
  }

  static Optional<byte[]> replaced(WriteOutcome outcome) {
    return expect(WriteOutcome.Replaced.class, outcome).value();
  }

  static Position done(WriteOutcome outcome) {
    return expect(WriteOutcome.Done.class, outcome).position();
  }

  static <T extends WriteOutcome> T expect(Class<T> expected, WriteOutcome outcome) {
    if (expected.isInstance(outcome)) {
      return expected.cast(outcome);
    }
    throw new DecodeException(
        "the result " + outcome.getClass().getSimpleName() + " does not fit the operation");
  }
}
