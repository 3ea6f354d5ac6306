package io.quorate.client.internal.map;

import io.quorate.client.Codec;
import io.quorate.client.CompareAndSetResult;
import io.quorate.client.IndeterminateException;
import io.quorate.client.InvalidRequestException;
import io.quorate.client.KeyValue;
import io.quorate.client.MapPage;
import io.quorate.client.QuorateException;
import io.quorate.client.RefusedException;
import io.quorate.client.ScanResult;
import io.quorate.common.Nulls;
import io.quorate.common.Utf8;
import io.quorate.model.Key;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Converts keys and values, and whatever the codecs of an application throw, an {@link Error} too,
 * to the failure of the call. Any thread.
 */
public final class CodecPair<K, V> {
  private final Codec<K> keys;
  private final Codec<V> values;

  public CodecPair(Codec<K> keys, Codec<V> values) {
    this.keys = Nulls.refuse(keys, "keys");
    this.values = Nulls.refuse(values, "values");
  }

  /**
   * @throws InvalidRequestException if the codec fails
   */
  byte[] encodedKey(K key) {
    return encoded(keys, Nulls.refuse(key, "key"), "key");
  }

  /**
   * @param name that of the parameter
   * @throws InvalidRequestException if the codec fails
   */
  byte[] encodedValue(V value, String name) {
    return encoded(values, Nulls.refuse(value, name), name);
  }

  private static <T> byte[] encoded(Codec<T> codec, T object, String name) {
    try {
      return Nulls.refuse(codec.encode(object), "what a codec returns");
    } catch (Throwable e) {
      throw failure(
          InvalidRequestException::new, "The " + name + " could not be encoded: " + reason(e), e);
    }
  }

  /**
   * What a read returns.
   *
   * @throws RefusedException if the codec fails
   */
  Optional<V> value(byte[] key, Optional<byte[]> value) {
    return value.map(bytes -> decodedValue(key, bytes));
  }

  private V decodedValue(byte[] key, byte[] value) {
    return decoded(values, value, RefusedException::new, "The value of " + display(key));
  }

  /**
   * What a write has replaced.
   *
   * @throws IndeterminateException if the codec fails
   */
  Optional<V> before(byte[] key, Optional<byte[]> value) {
    String what = "The write has taken effect, but the value that " + display(key) + " had before";
    return value.map(bytes -> decoded(values, bytes, IndeterminateException::new, what));
  }

  /**
   * @throws RefusedException if the codec fails, which has something to decode only if nothing was
   *     changed
   */
  CompareAndSetResult<V> swap(byte[] key, CompareAndSetResult<byte[]> result) {
    return new CompareAndSetResult<>(result.swapped(), value(key, result.current()));
  }

  /**
   * @throws RefusedException if a codec fails
   */
  Map.Entry<K, V> entry(KeyValue row) {
    K key = decoded(keys, row.key(), RefusedException::new, "The " + display(row.key()));
    return Map.entry(key, decodedValue(row.key(), row.value()));
  }

  List<Map.Entry<K, V>> entries(List<KeyValue> rows) {
    return rows.stream().map(this::entry).toList();
  }

  MapPage<K, V> page(ScanResult page) {
    return new MapPage<>(entries(page.rows()), page.continueAt(), page.position());
  }

  private static <T> T decoded(
      Codec<T> codec, byte[] bytes, Function<String, QuorateException> type, String what) {
    try {
      return Nulls.refuse(codec.decode(bytes), "what a codec returns");
    } catch (Throwable e) {
      throw failure(type, what + " could not be decoded: " + reason(e), e);
    }
  }

  private static QuorateException failure(
      Function<String, QuorateException> type, String message, Throwable cause) {
    if (cause instanceof InterruptedException) {
      // For the caller, who sees another exception.
      Thread.currentThread().interrupt();
    }
    QuorateException failure = type.apply(message.endsWith(".") ? message : message + ".");
    failure.initCause(cause);
    return failure;
  }

  /** The first line: that of a parser is followed by its input. */
  private static String reason(Throwable thrown) {
    String type = thrown.getClass().getName();
    try {
      return thrown.toString().lines().findFirst().orElse(type);
    } catch (RuntimeException e) {
      return type; // Its message cannot be built.
    }
  }

  private static String display(byte[] key) {
    return "key " + Utf8.text(key).map(text -> "\"" + text + "\"").orElse(Key.wrap(key).toString());
  }
}
