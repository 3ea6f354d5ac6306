package io.quorate.client.internal.map;

import io.quorate.client.Codec;
import io.quorate.common.Utf8;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** The codecs of {@link Codec}. */
public final class Codecs {
  public static final Codec<byte[]> BYTES = new OfConversions<>(value -> value, bytes -> bytes);

  public static final Codec<String> UTF8 =
      new OfConversions<>(
          Utf8::bytes, bytes -> Utf8.text(bytes).orElseThrow(() -> invalid("not text in UTF-8")));

  public static final Codec<Long> LONGS =
      new OfConversions<>(
          value -> ByteBuffer.allocate(Long.BYTES).putLong(value ^ Long.MIN_VALUE).array(),
          bytes -> required(bytes, Long.BYTES).getLong() ^ Long.MIN_VALUE);

  public static final Codec<Integer> INTS =
      new OfConversions<>(
          value -> ByteBuffer.allocate(Integer.BYTES).putInt(value ^ Integer.MIN_VALUE).array(),
          bytes -> required(bytes, Integer.BYTES).getInt() ^ Integer.MIN_VALUE);

  public static final Codec<Long> DECIMAL =
      new OfConversions<>(
          value -> Long.toString(value).getBytes(StandardCharsets.US_ASCII),
          bytes -> Long.parseLong(new String(bytes, StandardCharsets.ISO_8859_1)));

  /** A codec of two functions. */
  public record OfConversions<T>(
      Codec.Conversion<T, byte[]> encoding, Codec.Conversion<byte[], T> decoding)
      implements Codec<T> {
    @Override
    public byte[] encode(T value) throws Exception {
      return encoding.apply(value);
    }

    @Override
    public T decode(byte[] bytes) throws Exception {
      return decoding.apply(bytes);
    }
  }

  private Codecs() {}

  private static ByteBuffer required(byte[] bytes, int length) {
    if (bytes.length != length) {
      throw invalid(bytes.length + " bytes instead of " + length);
    }
    return ByteBuffer.wrap(bytes);
  }

  private static IllegalArgumentException invalid(String what) {
    return new IllegalArgumentException(what);
  }

  /**
   * The codec of Jackson 3, or else of Jackson 2.
   *
   * @throws IllegalStateException if neither is on the class path
   */
  public static <T> Codec<T> json(Class<T> type) {
    NoClassDefFoundError missing;
    try {
      return Jackson3.codec(type);
    } catch (NoClassDefFoundError e) {
      missing = e;
    }
    try {
      return Jackson2.codec(type);
    } catch (NoClassDefFoundError e) {
      missing.addSuppressed(e);
      throw new IllegalStateException(
          "Codec.json needs Jackson on the class path: add the artifact"
              + " tools.jackson.core:jackson-databind, or that of Jackson 2,"
              + " com.fasterxml.jackson.core:jackson-databind.",
          missing);
    }
  }
}
