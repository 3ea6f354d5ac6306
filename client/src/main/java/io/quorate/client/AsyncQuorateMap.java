package io.quorate.client;

import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A view of an {@link AsyncQuorateClient} whose keys and values are objects, which two {@link
 * Codec}s convert to bytes and back. Its calls are those of the client, with its deadline,
 * guarantee and namespace; there is nothing to close. An instance is safe for use by multiple
 * threads.
 *
 * <p><b>Codecs that fail.</b> A call whose key or value is not encoded fails with {@link
 * InvalidRequestException}, and nothing is sent. One that reads a key or value which is not decoded
 * fails with {@link RefusedException}, which names the key and says that nothing was changed;
 * {@link #getAndPut} then fails with {@link IndeterminateException}, which says that the write has
 * taken effect. The cause is what the codec threw. Values are decoded where the futures of the
 * client complete.
 *
 * <p><b>Comparison.</b> {@link #compareAndSet} and {@link #compareAndDelete} compare bytes: a value
 * is the expected one if it was encoded to the same bytes. What another version of a type has
 * written may differ from what this one encodes.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
public interface AsyncQuorateMap<K, V> {
  /** As {@link AsyncQuorateClient#get(byte[])}. */
  CompletableFuture<Optional<V>> get(K key);

  /** Returns whether the key has a value. The value is read, but not decoded. */
  CompletableFuture<Boolean> containsKey(K key);

  /** As {@link AsyncQuorateClient#put(byte[], byte[])}. */
  CompletableFuture<Position> put(K key, V value);

  /** As {@link AsyncQuorateClient#putIfAbsent(byte[], byte[])}. */
  CompletableFuture<CompareAndSetResult<V>> putIfAbsent(K key, V value);

  /** As {@link AsyncQuorateClient#delete(byte[])}. */
  CompletableFuture<Position> delete(K key);

  /** As {@link AsyncQuorateClient#getAndPut(byte[], byte[])}. */
  CompletableFuture<Optional<V>> getAndPut(K key, V value);

  /** As {@link AsyncQuorateClient#compareAndSet(byte[], byte[], byte[])}. */
  CompletableFuture<CompareAndSetResult<V>> compareAndSet(K key, V expected, V replacement);

  /** As {@link AsyncQuorateClient#compareAndDelete(byte[], byte[])}. */
  CompletableFuture<CompareAndSetResult<V>> compareAndDelete(K key, V expected);

  /**
   * Returns the bytes of a key, of which ranges are made:
   *
   * <pre>{@code
   * orders.scan(KeyRange.of(orders.keyOf(100L), orders.keyOf(200L)), 50);
   * }</pre>
   *
   * @throws InvalidRequestException if the codec fails
   */
  Key keyOf(K key);

  /** As {@link AsyncQuorateClient#scan(KeyRange, int)}. */
  CompletableFuture<List<Map.Entry<K, V>>> scan(KeyRange range, int count);

  /** As {@link AsyncQuorateClient#scanReverse(KeyRange, int)}. */
  CompletableFuture<List<Map.Entry<K, V>>> scanReverse(KeyRange range, int count);

  /** As {@link AsyncQuorateClient#scanPage(KeyRange, int)}. */
  CompletableFuture<MapPage<K, V>> scanPage(KeyRange range, int rowsMax);

  /** As {@link AsyncQuorateClient#scanPageReverse(KeyRange, int)}. */
  CompletableFuture<MapPage<K, V>> scanPageReverse(KeyRange range, int rowsMax);
}
