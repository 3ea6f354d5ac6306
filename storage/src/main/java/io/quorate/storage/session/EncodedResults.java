package io.quorate.storage.session;

import io.quorate.common.Bytes;
import io.quorate.protocol.operation.Result;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Encodes results; the most frequent ones share one array. */
public final class EncodedResults {
  public static final byte[] DONE = Bytes.of(Result.DONE.encoded());
  private static final byte[] FORGOTTEN = Bytes.of(Result.FORGOTTEN.encoded());

  private EncodedResults() {}

  /** Encodes a result. The array may be shared; it must not be changed. */
  public static byte[] of(Result result) {
    if (result instanceof Result.Done) {
      return DONE;
    }
    if (result instanceof Result.Forgotten) {
      return FORGOTTEN;
    }
    ByteBuffer encoded = result.encoded();
    // An encoding fills its array at present; a later version may not.
    return encoded.hasArray()
            && encoded.arrayOffset() == 0
            && encoded.remaining() == encoded.array().length
        ? encoded.array()
        : Bytes.of(encoded);
  }

  /** Whether an encoded result is "done". */
  public static boolean isDone(byte[] result) {
    return Arrays.equals(result, DONE);
  }

  /** The shared array for a result that is stored many times, otherwise the given array. */
  public static byte[] shared(byte[] result) {
    return isDone(result) ? DONE : result;
  }
}
