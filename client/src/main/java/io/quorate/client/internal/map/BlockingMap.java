package io.quorate.client.internal.map;

import io.quorate.client.CompareAndSetResult;
import io.quorate.client.KeyValue;
import io.quorate.client.MapPage;
import io.quorate.client.QuorateClient;
import io.quorate.client.QuorateMap;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A map over the calls of a client, which may be of any class. */
public final class BlockingMap<K, V> implements QuorateMap<K, V> {
  private final QuorateClient client;
  private final CodecPair<K, V> codec;

  public BlockingMap(QuorateClient client, CodecPair<K, V> codec) {
    this.client = client;
    this.codec = codec;
  }

  @Override
  public Optional<V> get(K key) {
    byte[] bytes = codec.encodedKey(key);
    return codec.value(bytes, client.get(bytes));
  }

  @Override
  public boolean containsKey(K key) {
    return client.get(codec.encodedKey(key)).isPresent();
  }

  @Override
  public Position put(K key, V value) {
    return client.put(codec.encodedKey(key), codec.encodedValue(value, "value"));
  }

  @Override
  public CompareAndSetResult<V> putIfAbsent(K key, V value) {
    byte[] bytes = codec.encodedKey(key);
    return codec.swap(bytes, client.putIfAbsent(bytes, codec.encodedValue(value, "value")));
  }

  @Override
  public Position delete(K key) {
    return client.delete(codec.encodedKey(key));
  }

  @Override
  public Optional<V> getAndPut(K key, V value) {
    byte[] bytes = codec.encodedKey(key);
    return codec.before(bytes, client.getAndPut(bytes, codec.encodedValue(value, "value")));
  }

  @Override
  public CompareAndSetResult<V> compareAndSet(K key, V expected, V replacement) {
    byte[] bytes = codec.encodedKey(key);
    return codec.swap(
        bytes,
        client.compareAndSet(
            bytes,
            codec.encodedValue(expected, "expected"),
            codec.encodedValue(replacement, "replacement")));
  }

  @Override
  public CompareAndSetResult<V> compareAndDelete(K key, V expected) {
    byte[] bytes = codec.encodedKey(key);
    return codec.swap(
        bytes, client.compareAndDelete(bytes, codec.encodedValue(expected, "expected")));
  }

  @Override
  public Key keyOf(K key) {
    return Key.wrap(codec.encodedKey(key));
  }

  @Override
  public Iterable<Map.Entry<K, V>> scan(KeyRange range) {
    return entries(client.scan(range));
  }

  @Override
  public Iterable<Map.Entry<K, V>> scanReverse(KeyRange range) {
    return entries(client.scanReverse(range));
  }

  private Iterable<Map.Entry<K, V>> entries(Iterable<KeyValue> rows) {
    return () -> {
      Iterator<KeyValue> each = rows.iterator();
      return new Iterator<>() {
        @Override
        public boolean hasNext() {
          return each.hasNext();
        }

        @Override
        public Map.Entry<K, V> next() {
          return codec.entry(each.next());
        }
      };
    };
  }

  @Override
  public List<Map.Entry<K, V>> scan(KeyRange range, int count) {
    return codec.entries(client.scan(range, count));
  }

  @Override
  public List<Map.Entry<K, V>> scanReverse(KeyRange range, int count) {
    return codec.entries(client.scanReverse(range, count));
  }

  @Override
  public MapPage<K, V> scanPage(KeyRange range, int rowsMax) {
    return codec.page(client.scanPage(range, rowsMax));
  }

  @Override
  public MapPage<K, V> scanPageReverse(KeyRange range, int rowsMax) {
    return codec.page(client.scanPageReverse(range, rowsMax));
  }
}
