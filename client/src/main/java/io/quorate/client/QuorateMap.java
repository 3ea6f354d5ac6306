package io.quorate.client;

import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A view of a {@link QuorateClient} whose keys and values are objects, which two {@link Codec}s
 * convert to bytes and back, on the caller's thread. Its calls block as those of the client do. See
 * {@link AsyncQuorateMap} for codecs that fail and for what comparisons compare.
 *
 * <pre>{@code
 * QuorateMap<String, Order> orders =
 *     client.namespace("orders/").map(Codec.utf8(), Codec.json(Order.class));
 * orders.put("7", new Order("tea", 2));
 * }</pre>
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
public interface QuorateMap<K, V> {
  /** As {@link QuorateClient#get(byte[])}. */
  Optional<V> get(K key);

  /** As {@link AsyncQuorateMap#containsKey}. */
  boolean containsKey(K key);

  /** As {@link QuorateClient#put(byte[], byte[])}. */
  Position put(K key, V value);

  /** As {@link QuorateClient#putIfAbsent(byte[], byte[])}. */
  CompareAndSetResult<V> putIfAbsent(K key, V value);

  /** As {@link QuorateClient#delete(byte[])}. */
  Position delete(K key);

  /** As {@link QuorateClient#getAndPut(byte[], byte[])}. */
  Optional<V> getAndPut(K key, V value);

  /** As {@link QuorateClient#compareAndSet(byte[], byte[], byte[])}. */
  CompareAndSetResult<V> compareAndSet(K key, V expected, V replacement);

  /** As {@link QuorateClient#compareAndDelete(byte[], byte[])}. */
  CompareAndSetResult<V> compareAndDelete(K key, V expected);

  /** As {@link AsyncQuorateMap#keyOf}. */
  Key keyOf(K key);

  /**
   * As {@link QuorateClient#scan(KeyRange)}. An entry that is not decoded is skipped by the next
   * step of the iteration.
   */
  Iterable<Map.Entry<K, V>> scan(KeyRange range);

  /** As {@link #scan(KeyRange)}, from the highest key of the range downwards. */
  Iterable<Map.Entry<K, V>> scanReverse(KeyRange range);

  /** As {@link QuorateClient#scan(KeyRange, int)}. */
  List<Map.Entry<K, V>> scan(KeyRange range, int count);

  /** As {@link QuorateClient#scanReverse(KeyRange, int)}. */
  List<Map.Entry<K, V>> scanReverse(KeyRange range, int count);

  /** As {@link QuorateClient#scanPage(KeyRange, int)}. */
  MapPage<K, V> scanPage(KeyRange range, int rowsMax);

  /** As {@link QuorateClient#scanPageReverse(KeyRange, int)}. */
  MapPage<K, V> scanPageReverse(KeyRange range, int rowsMax);
}
