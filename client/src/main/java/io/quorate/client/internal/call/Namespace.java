package io.quorate.client.internal.call;

import io.quorate.client.KeyValue;
import io.quorate.client.ScanResult;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import java.util.Arrays;
import java.util.Optional;

/**
 * The keys that a client sees, which are those with one prefix, without it. Any thread.
 *
 * @param prefix empty for all keys
 */
public record Namespace(Key prefix) {
  /** All keys. */
  public static final Namespace ALL = new Namespace(Key.EMPTY);

  /** The part of this one whose keys begin with more bytes. */
  public Namespace within(byte[] more) {
    return new Namespace(key(more));
  }

  /** The key in the cluster. */
  public Key key(byte[] key) {
    return prefix.isEmpty() ? Key.wrap(key) : Key.wrap(concatenated(prefix.bytes(), key));
  }

  private static byte[] concatenated(byte[] first, byte[] second) {
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }

  /** The range in the cluster. */
  KeyRange range(KeyRange range) {
    if (prefix.isEmpty()) {
      return range;
    }
    Optional<Key> end = range.end().map(Key::bytes).map(this::key);
    return new KeyRange(key(range.start().bytes()), end.or(() -> KeyRange.ofPrefix(prefix).end()));
  }

  /** What the client sees of a page of a range of this one. */
  ScanResult page(ScanResult page) {
    return prefix.isEmpty()
        ? page
        : new ScanResult(
            page.rows().stream().map(row -> new KeyValue(without(row.key()), row.value())).toList(),
            page.continueAt().map(key -> Key.wrap(without(key.bytes()))),
            page.position());
  }

  private byte[] without(byte[] key) {
    return Arrays.copyOfRange(key, prefix.size(), key.length);
  }
}
