package io.quorate.client;

import io.quorate.client.internal.map.Codecs;
import io.quorate.common.Nulls;

/**
 * Converts objects of an application to the bytes of keys or values, and back. An instance is safe
 * for use by multiple threads, and does not block: an asynchronous map decodes on the client's own
 * thread, unless {@link ClientOptions.Builder#executor} names an executor. Both methods may throw
 * anything; the call of the map then fails, with what was thrown as the cause; after an {@link
 * InterruptedException} the interrupt status is set. Neither receives null, nor returns it.
 *
 * <p>A codec of keys gives equal keys equal bytes, and different keys different bytes. A map
 * iterates in the order of these bytes, unsigned. A key without bytes is refused, except in a
 * {@link AsyncQuorateClient#namespace}, where it is that of the prefix itself.
 *
 * @param <T> the type of the objects
 */
public interface Codec<T> {
  /** Returns the bytes of an object, which the caller may keep. */
  byte[] encode(T value) throws Exception;

  /** Returns the object that the bytes stand for, or throws if they stand for none. */
  T decode(byte[] bytes) throws Exception;

  /** One direction of a codec. */
  interface Conversion<S, T> {
    T apply(S from) throws Exception;
  }

  /**
   * Returns the codec of two functions, such as those of a library or of an application's own
   * configuration of Jackson:
   *
   * <pre>{@code
   * Codec.of(mapper::writeValueAsBytes, json -> mapper.readValue(json, Order.class));
   * }</pre>
   */
  static <T> Codec<T> of(Conversion<T, byte[]> encode, Conversion<byte[], T> decode) {
    return new Codecs.OfConversions<>(
        Nulls.refuse(encode, "encode"), Nulls.refuse(decode, "decode"));
  }

  /** Returns the codec of the bytes themselves, which are not copied. */
  static Codec<byte[]> bytes() {
    return Codecs.BYTES;
  }

  /**
   * Returns the codec of text in UTF-8, which refuses half of a surrogate pair, and bytes that are
   * not UTF-8. The order of keys is that of their code points.
   */
  static Codec<String> utf8() {
    return Codecs.UTF8;
  }

  /**
   * Returns the codec of numbers in 8 bytes, big-endian and with a flipped sign, so that the order
   * of keys is that of the numbers, the negative ones first. {@link AsyncQuorateClient#increment}
   * cannot add to such values; see {@link #decimal}.
   */
  static Codec<Long> longs() {
    return Codecs.LONGS;
  }

  /** Returns the codec of numbers in 4 bytes, otherwise as {@link #longs}. */
  static Codec<Integer> ints() {
    return Codecs.INTS;
  }

  /**
   * Returns the codec of numbers as decimal text, as {@link AsyncQuorateClient#increment} reads and
   * writes values. As keys these do not keep the order of the numbers.
   */
  static Codec<Long> decimal() {
    return Codecs.DECIMAL;
  }

  /**
   * Returns the codec of objects as JSON, by Jackson 3 or else Jackson 2, whichever the application
   * has: {@code tools.jackson.core:jackson-databind} or {@code
   * com.fasterxml.jackson.core:jackson-databind}. Both write the properties in the order of their
   * names and times as text, with all modules that are found, and ignore properties that the type
   * does not have, so that a type may lose some.
   *
   * @throws IllegalStateException if the application has neither
   */
  static <T> Codec<T> json(Class<T> type) {
    return Codecs.json(Nulls.refuse(type, "type"));
  }
}
