package io.quorate.client.internal;

import io.quorate.client.InvalidRequestException;
import io.quorate.common.Nulls;
import io.quorate.common.Utf8;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import java.nio.ByteBuffer;

/**
 * Converts the arguments of calls, and refuses null with the name of the parameter. The names are
 * those in the interfaces.
 */
final class Arguments {
  private Arguments() {}

  static ByteBuffer buffer(byte[] bytes, String name) {
    return ByteBuffer.wrap(Nulls.refuse(bytes, name));
  }

  /** The keys that begin with a text; as {@link #utf8}. */
  static KeyRange prefixed(String prefix) {
    return KeyRange.ofPrefix(Key.wrap(utf8(prefix, "prefix")));
  }

  /**
   * @throws InvalidRequestException if the text has half of a surrogate pair
   */
  static byte[] utf8(String text, String name) {
    try {
      return Utf8.bytes(Nulls.refuse(text, name));
    } catch (IllegalArgumentException e) {
      throw new InvalidRequestException(e.getMessage());
    }
  }
}
