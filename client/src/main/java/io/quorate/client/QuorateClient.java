package io.quorate.client;

import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.RegionAdministration;
import io.quorate.client.internal.BlockingClient;
import io.quorate.client.internal.map.BlockingMap;
import io.quorate.client.internal.map.CodecPair;
import io.quorate.model.GroupId;
import io.quorate.model.Guarantee;
import io.quorate.model.KeyRange;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A client whose calls block until they complete or their deadline passes. An instance is safe for
 * use by multiple threads; one instance per process is enough.
 *
 * <p>Every call may throw each {@link QuorateException}; the subclass states whether the call may
 * have taken effect. If a thread is interrupted while it waits, its interrupt status stays set, and
 * the call ends as if its deadline had passed. See {@link AsyncQuorateClient} for retries, flow
 * control, the order of calls, text and null.
 */
public interface QuorateClient extends AutoCloseable {
  /**
   * Connects to a cluster with the default options.
   *
   * @param seeds addresses {@code host:port} of one or more nodes, separated by commas
   * @throws IllegalArgumentException if {@code seeds} does not have that form
   * @throws QuorateException if no node of a cluster could be reached
   */
  static QuorateClient connect(String seeds) {
    return connect(ClientOptions.of(seeds));
  }

  /**
   * Connects to a cluster. Tries until {@link ClientOptions#deadline}, also where every address
   * refuses the connection: the cluster may be about to start. The exception names what each of
   * them said.
   *
   * @throws QuorateException if no node of a cluster could be reached
   */
  static QuorateClient connect(ClientOptions options) {
    return BlockingClient.connect(options);
  }

  /** Returns a view of this client whose calls return futures. Closing either closes both. */
  AsyncQuorateClient async();

  /**
   * Returns a view of this client with another deadline for each call. The view shares everything
   * with this client and is cheap to create; closing either closes both.
   *
   * <pre>{@code
   * Optional<String> name = client.withDeadline(Duration.ofMillis(300)).get("name");
   * }</pre>
   *
   * @param value more than 0, at most {@link ClientOptions#DEADLINE_MAX}
   * @throws IllegalArgumentException if {@code value} is out of these bounds
   */
  QuorateClient withDeadline(Duration value);

  /** As {@link AsyncQuorateClient#withGuarantee}. */
  QuorateClient withGuarantee(Guarantee value);

  /** As {@link AsyncQuorateClient#namespace(byte[])}. */
  QuorateClient namespace(byte[] prefix);

  /** As {@link AsyncQuorateClient#namespace(String)}. */
  QuorateClient namespace(String prefix);

  /** As {@link AsyncQuorateClient#map}. */
  default <K, V> QuorateMap<K, V> map(Codec<K> keys, Codec<V> values) {
    return new BlockingMap<>(this, new CodecPair<>(keys, values));
  }

  /**
   * As {@link AsyncQuorateClient#ordered}. A thread that waits for each call needs this only after
   * a write whose outcome is unknown: by this view its next write to the key takes effect after
   * that, or not at all, while without it the former write may take effect after the next one.
   */
  QuorateClient ordered();

  /**
   * Returns a writer for loads, which has many writes in flight within bounds. Reads of this client
   * pass them.
   */
  BulkWriter bulk();

  /** Returns the value, or empty if there is none, read with the guarantee of this client. */
  Optional<byte[]> get(byte[] key);

  /** Returns the value, or empty if there is none, read with the given guarantee. */
  Optional<byte[]> get(byte[] key, Guarantee guarantee);

  /** As {@link #get(byte[])}, with key and value in UTF-8. */
  Optional<String> get(String key);

  /** As {@link #get(byte[])}, with the key in UTF-8. */
  Optional<byte[]> getBytes(String key);

  /**
   * Sets the value. Returns the position of the write in the order of its region; a later read of
   * the same region can require that position with {@link Guarantee.AtLeast}.
   */
  Position put(byte[] key, byte[] value);

  /** As {@link #put(byte[], byte[])}, with key and value in UTF-8. */
  Position put(String key, String value);

  /** As {@link #put(byte[], byte[])}, with the key in UTF-8. */
  Position put(String key, byte[] value);

  /** Sets the value if there is none; otherwise returns the present one. */
  CompareAndSetResult<byte[]> putIfAbsent(byte[] key, byte[] value);

  /**
   * As {@link #putIfAbsent(byte[], byte[])}, with key and value in UTF-8. Returns whether the value
   * was set.
   */
  boolean putIfAbsent(String key, String value);

  /** Removes the key. A missing key is not an error. Returns the position of the write. */
  Position delete(byte[] key);

  /** As {@link #delete(byte[])}, with the key in UTF-8. */
  Position delete(String key);

  /**
   * Appends bytes to the value. Changes nothing if the value would become too long. Returns the
   * position of the write.
   */
  Position append(byte[] key, byte[] suffix);

  /** As {@link #append(byte[], byte[])}, with key and suffix in UTF-8. */
  Position append(String key, String suffix);

  /**
   * Adds to the number; a missing value counts as 0. Returns the position of the write. If the
   * value is not a number, or the sum does not fit in 64 bits, the increment changes nothing and
   * reports no error; {@link #incrementAndGet} reports these errors.
   */
  Position increment(byte[] key, long delta);

  /** As {@link #increment(byte[], long)}, with the key in UTF-8. */
  Position increment(String key, long delta);

  /**
   * Adds to the number, where a missing value counts as 0, and returns the sum.
   *
   * @throws RefusedException if the value is not a number or the sum does not fit in 64 bits
   */
  long incrementAndGet(byte[] key, long delta);

  /** As {@link AsyncQuorateClient#incrementAndGet(byte[], long, boolean)}. */
  long incrementAndGet(byte[] key, long delta, boolean splitResult);

  /** As {@link #incrementAndGet(byte[], long)}, with the key in UTF-8. */
  long incrementAndGet(String key, long delta);

  /** Sets the value and returns the previous one, or empty if there was none. */
  Optional<byte[]> getAndPut(byte[] key, byte[] value);

  /** As {@link #getAndPut(byte[], byte[])}, with key and values in UTF-8. */
  Optional<String> getAndPut(String key, String value);

  /** Replaces the value if it equals the expected one; otherwise returns the present one. */
  CompareAndSetResult<byte[]> compareAndSet(byte[] key, byte[] expected, byte[] replacement);

  /**
   * As {@link #compareAndSet(byte[], byte[], byte[])}, with key and values in UTF-8. Returns
   * whether the value was replaced.
   */
  boolean compareAndSet(String key, String expected, String replacement);

  /** Removes the key if its value equals the expected one; otherwise returns the present one. */
  CompareAndSetResult<byte[]> compareAndDelete(byte[] key, byte[] expected);

  /**
   * As {@link #compareAndDelete(byte[], byte[])}, with key and value in UTF-8. Returns whether the
   * key was removed.
   */
  boolean compareAndDelete(String key, String expected);

  /**
   * Applies the changes of a batch atomically. Returns the position of the write.
   *
   * @throws InvalidRequestException if the keys lie in more than one region; no request was sent
   */
  Position batch(Batch batch);

  /**
   * Returns the rows of a range in key order. Pages are fetched during the iteration, which throws
   * the exceptions of the fetches. Each page is a consistent cut of one region; all pages together
   * are not. There is nothing to close.
   *
   * <pre>{@code
   * client.scan(KeyRange.of("user:1", "user:2")).forEach(System.out::println);
   * }</pre>
   */
  Iterable<KeyValue> scan(KeyRange range);

  /** As {@link #scan(KeyRange)}, from the highest key of the range downwards. */
  Iterable<KeyValue> scanReverse(KeyRange range);

  /** As {@link AsyncQuorateClient#scan(KeyRange, int)}. */
  List<KeyValue> scan(KeyRange range, int count);

  /** As {@link AsyncQuorateClient#scanReverse(KeyRange, int)}. */
  List<KeyValue> scanReverse(KeyRange range, int count);

  /**
   * Returns the rows whose keys begin with {@code prefix} in UTF-8, as {@link #scan(KeyRange)} does
   * for {@link KeyRange#ofPrefix(String)}.
   *
   * @param prefix the prefix; empty for all keys
   */
  Iterable<KeyValue> scanPrefix(String prefix);

  /** As {@link AsyncQuorateClient#scanPrefix(String, int)}. */
  List<KeyValue> scanPrefix(String prefix, int count);

  /** As {@link AsyncQuorateClient#scanPage(KeyRange, int)}. */
  ScanResult scanPage(KeyRange range, int rowsMax);

  /** As {@link AsyncQuorateClient#scanPageReverse(KeyRange, int)}. */
  ScanResult scanPageReverse(KeyRange range, int rowsMax);

  /** As {@link AsyncQuorateClient#status}. */
  ClusterStatus status();

  /** As {@link RegionAdministration#verify}. */
  Position verifyRegion(GroupId region);

  /** As {@link AsyncQuorateClient#status(Duration)}. */
  ClusterStatus status(Duration timeout);

  /** As {@link RegionAdministration#split}. */
  GroupId splitRegion(byte[] at);

  /** As {@link RegionAdministration#merge}. */
  GroupId mergeRegion(byte[] at);

  /** As {@link RegionAdministration#moveReplica}. */
  void moveReplica(GroupId region, NodeId from, NodeId to);

  /** As {@link RegionAdministration#transferLeader}. */
  void transferLeader(GroupId region, NodeId target);

  /** As {@link AsyncQuorateClient#close}. */
  @Override
  void close();
}
