package io.quorate.storage;

import io.quorate.operation.Result;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Encoded answers, the most frequent ones without a copy for each. */
final class Answers {
  static final byte[] DONE = Bytes.of(Result.DONE.encoded());
  private static final byte[] FORGOTTEN = Bytes.of(Result.FORGOTTEN.encoded());

  private Answers() {}

  static byte[] of(Result result) {
    if (result instanceof Result.Done) {
      return DONE;
    }
    if (result instanceof Result.Forgotten) {
      return FORGOTTEN;
    }
    ByteBuffer encoded = result.encoded();
    // An encoding fills its array, unless a later version of it says otherwise.
    return encoded.hasArray()
            && encoded.arrayOffset() == 0
            && encoded.remaining() == encoded.array().length
        ? encoded.array()
        : Bytes.of(encoded);
  }

  /** Whether an answer is that the request is done, without more. */
  static boolean isDone(byte[] answer) {
    return Arrays.equals(answer, DONE);
  }

  /** The one array for an answer that is kept many times, or else the array given. */
  static byte[] shared(byte[] answer) {
    return isDone(answer) ? DONE : answer;
  }
}
