package io.quorate.client;

import io.quorate.client.cluster.AccessAdministration;
import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.NodeAdministration;
import io.quorate.client.cluster.RegionAdministration;
import io.quorate.client.internal.AsyncClient;
import io.quorate.client.internal.map.AsyncMap;
import io.quorate.client.internal.map.CodecPair;
import io.quorate.model.Guarantee;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A client whose calls return a {@link CompletableFuture}. An instance is safe for use by multiple
 * threads; one instance per process is enough. No method blocks, except {@link #close}.
 *
 * <p><b>Errors.</b> A call that fails completes its future with a {@link QuorateException}; no
 * method throws one. Each call ends by its deadline, whatever is thrown in the client, such as by a
 * listener or because a library is missing: the call fails then, with what was thrown as the cause
 * of its exception. A call is retried, at other replicas and with exponential backoff, until its
 * deadline ({@link ClientOptions#deadline}, {@link #withDeadline}). All attempts at a write carry
 * the same request id, by which the servers deduplicate them, so that the write takes effect at
 * most once.
 *
 * <p><b>Flow control.</b> At most {@link ClientOptions#inFlightRequestsMax} calls with {@link
 * ClientOptions#inFlightBytesMax} bytes are in flight at the same time. Further calls wait in a
 * queue, up to {@link ClientOptions#waitingRequestsMax} calls and {@link
 * ClientOptions#waitingBytesMax} bytes; beyond these bounds {@link ClientOptions#admission} says
 * what a call does. Of a scan the bytes of its pages count: in flight at most 16 KiB for each row
 * that is wanted, of 64 KiB at least and 1 MiB at most; waiting those of its request. Reads have an
 * eighth of each bound in addition, so that they pass a load of writes.
 *
 * <p><b>Threads.</b> Futures complete on the client's only thread, its event loop, unless {@link
 * ClientOptions.Builder#executor} names an executor. A dependent stage without an executor of its
 * own runs there; on the event loop it must not block. A call that fails before anything is sent
 * may complete before its method returns. Cancelling a future does not stop the call.
 *
 * <p><b>Arrays.</b> Arrays that are passed as arguments are not copied; do not modify them before
 * the call completes. An array that is returned belongs to the caller.
 *
 * <p><b>Text.</b> Methods with {@link String} encode and decode UTF-8, and replace nothing: a call
 * with half of a surrogate pair fails with {@link InvalidRequestException}, and one that reads a
 * value which is not UTF-8 with {@link RefusedException}; {@code getAndPut} then fails with {@link
 * IndeterminateException}, which says that the write has taken effect.
 *
 * <p><b>Null.</b> No argument may be null: a method throws {@link NullPointerException} with the
 * name of the parameter, and nothing is sent. No result is null.
 *
 * <p><b>Order.</b> Concurrent calls may take effect in any order, even if one thread made them.
 * Wait for a call to complete before making another one that must take effect after it, or make
 * both by an {@link #ordered} view.
 */
public interface AsyncQuorateClient extends AutoCloseable {
  /** The maximum number of rows in a page of a scan, unless the caller specifies another. */
  int PAGE_ROWS_DEFAULT = 1000;

  /** Creates a client. It does not connect before it is first used. */
  static AsyncQuorateClient open(ClientOptions options) {
    return AsyncClient.open(options);
  }

  /**
   * Returns a view of this client with another deadline for each call. The view shares everything
   * with this client and is cheap to create; closing either closes both.
   *
   * @param value more than 0, at most {@link ClientOptions#DEADLINE_MAX}
   * @throws IllegalArgumentException if {@code value} is out of these bounds
   */
  AsyncQuorateClient withDeadline(Duration value);

  /**
   * Returns a view of this client with another guarantee for the reads that do not specify one. The
   * view shares everything with this client and is cheap to create; closing either closes both.
   */
  AsyncQuorateClient withGuarantee(Guarantee value);

  /**
   * Returns a view of this client that sees the keys with a prefix alone, and without it: what it
   * reads, writes and scans lies in {@code prefix}, also that of a batch, and what it returns has
   * no prefix. A view of a view has both prefixes. The length of the prefix counts towards that of
   * keys. The empty key, which the cluster itself refuses, is the prefix itself here. {@link
   * #regions}, {@link #nodes} and {@link #status} are those of the whole cluster. The view shares
   * everything with this client and is cheap to create; closing either closes both.
   *
   * <pre>{@code
   * AsyncQuorateClient orders = client.namespace("tenant-7/orders/");
   * }</pre>
   *
   * @param prefix copied; empty for all keys of this client
   */
  AsyncQuorateClient namespace(byte[] prefix);

  /**
   * As {@link #namespace(byte[])}, with the prefix in UTF-8.
   *
   * @throws InvalidRequestException if UTF-8 cannot encode it
   */
  AsyncQuorateClient namespace(String prefix);

  /**
   * Returns a map of the keys of this client, converted by codecs. A {@link #namespace} gives it
   * keys of its own: a map meets every key of its client, also those that its codec did not write.
   *
   * <pre>{@code
   * AsyncQuorateMap<String, Order> orders =
   *     client.namespace("orders/").map(Codec.utf8(), Codec.json(Order.class));
   * }</pre>
   */
  default <K, V> AsyncQuorateMap<K, V> map(Codec<K> keys, Codec<V> values) {
    return new AsyncMap<>(this, new CodecPair<>(keys, values));
  }

  /**
   * Returns a view of this client that keeps the order of calls, for each key. The views of one
   * client that do, such as a {@link #namespace} of this one, have one order; calls of other views
   * are not in it. The view shares everything with this client and is cheap to create; closing
   * either closes both.
   *
   * <pre>{@code
   * AsyncQuorateClient inOrder = client.ordered();
   * inOrder.put("state", "paid");
   * inOrder.put("state", "shipped");
   * }</pre>
   *
   * <ul>
   *   <li>Writes to one key take effect in the order in which the methods were called: each is sent
   *       after the one before has ended. Writes to different keys are concurrent. A batch has its
   *       place in the order of each of its keys. Calls that two threads make at the same time are
   *       in either order.
   *   <li>A {@link #get} is sent after the writes to its key that were called before it have ended,
   *       so that it finds what they did, if its guarantee is {@link Guarantee.Linearizable}. No
   *       write waits for a read, and no scan waits for a write.
   *   <li>A write that fails stops no other one, unless its outcome is unknown ({@link
   *       IndeterminateException}). The writes behind such a one, also those that are called later,
   *       wait, and the client goes on with it meanwhile, as {@link IndeterminateException#await}
   *       does. Once the client gives it up, as described there, nothing waits for it any more: it
   *       may then take effect after writes that are called later.
   *   <li>A call whose deadline passes before it is its turn fails with {@link
   *       UnavailableException}; so does each write that waits behind one that is given up. They
   *       were not sent and have no effect, and those behind them go on.
   *   <li>The calls that wait are among those that {@link ClientOptions#waitingRequestsMax} and
   *       {@link ClientOptions#waitingBytesMax} bound. Since one write to a key takes a round trip,
   *       many of them may need more time than the deadline: see {@link #withDeadline}.
   * </ul>
   */
  AsyncQuorateClient ordered();

  /**
   * Completes once the client has received the topology of the cluster. Fails with {@link
   * UnavailableException} if it receives none within the deadline of this client, or with {@link
   * IncompatibleException} if every address leads to another cluster, to another version of the
   * protocol, or to a server that is not Quorate, or if the addresses are those of nodes of two
   * clusters. Calls may be made before the client is ready.
   */
  CompletableFuture<Void> ready();

  /** Returns the value, or empty if there is none, read with the guarantee of this client. */
  CompletableFuture<Optional<byte[]>> get(byte[] key);

  /** Returns the value, or empty if there is none, read with the given guarantee. */
  CompletableFuture<Optional<byte[]>> get(byte[] key, Guarantee readGuarantee);

  /** As {@link #get(byte[])}, with key and value in UTF-8. */
  CompletableFuture<Optional<String>> get(String key);

  /** As {@link #get(byte[])}, with the key in UTF-8. */
  CompletableFuture<Optional<byte[]>> getBytes(String key);

  /**
   * Sets the value. Returns the position of the write in the order of its region; a later read of
   * the same region can require that position with {@link Guarantee.AtLeast}.
   */
  CompletableFuture<Position> put(byte[] key, byte[] value);

  /** As {@link #put(byte[], byte[])}, with key and value in UTF-8. */
  CompletableFuture<Position> put(String key, String value);

  /** As {@link #put(byte[], byte[])}, with the key in UTF-8. */
  CompletableFuture<Position> put(String key, byte[] value);

  /** Sets the value if there is none; otherwise returns the present one. */
  CompletableFuture<CompareAndSetResult<byte[]>> putIfAbsent(byte[] key, byte[] value);

  /**
   * As {@link #putIfAbsent(byte[], byte[])}, with key and value in UTF-8. Returns whether the value
   * was set.
   */
  CompletableFuture<Boolean> putIfAbsent(String key, String value);

  /** Removes the key. A missing key is not an error. Returns the position of the write. */
  CompletableFuture<Position> delete(byte[] key);

  /** As {@link #delete(byte[])}, with the key in UTF-8. */
  CompletableFuture<Position> delete(String key);

  /**
   * Appends bytes to the value. Changes nothing if the value would become too long. Returns the
   * position of the write.
   */
  CompletableFuture<Position> append(byte[] key, byte[] suffix);

  /** As {@link #append(byte[], byte[])}, with key and suffix in UTF-8. */
  CompletableFuture<Position> append(String key, String suffix);

  /**
   * Adds to the number; a missing value counts as 0. Returns the position of the write. If the
   * value is not a number, or the sum does not fit in 64 bits, the increment changes nothing and
   * reports no error; {@link #incrementAndGet} reports these errors.
   */
  CompletableFuture<Position> increment(byte[] key, long delta);

  /** As {@link #increment(byte[], long)}, with the key in UTF-8. */
  CompletableFuture<Position> increment(String key, long delta);

  /** As {@link #incrementAndGet(byte[], long)}, with the key in UTF-8. */
  CompletableFuture<Long> incrementAndGet(String key, long delta);

  /**
   * Adds to the number, where a missing value counts as 0, and returns the sum. Fails with {@link
   * RefusedException} if the value is not a number or the sum does not fit in 64 bits.
   */
  CompletableFuture<Long> incrementAndGet(byte[] key, long delta);

  /**
   * As {@link #incrementAndGet(byte[], long)}, or, if {@code splitResult} is true, an {@link
   * #increment} followed by a linearizable read. In a cluster that responds at commit, the
   * increment then does not wait until it is applied. A split call differs as follows:
   *
   * <ul>
   *   <li>The increment and the read are not atomic. The result contains this increment and all
   *       other changes of the key up to the read: two callers may receive the same number, and
   *       some numbers no caller receives. A key that is missing at the time of the read counts as
   *       0.
   *   <li>A sum that does not fit in 64 bits is not reported: the increment changes nothing, and
   *       the present number is the result.
   *   <li>If the increment succeeds and the read fails or finds a value that is not a number, the
   *       call fails with {@link IndeterminateException}: the increment has taken effect, unless
   *       the value was not a number at that time either.
   *   <li>The increment and the read each have the whole deadline.
   * </ul>
   */
  CompletableFuture<Long> incrementAndGet(byte[] key, long delta, boolean splitResult);

  /** Sets the value and returns the previous one, or empty if there was none. */
  CompletableFuture<Optional<byte[]>> getAndPut(byte[] key, byte[] value);

  /** As {@link #getAndPut(byte[], byte[])}, with key and values in UTF-8. */
  CompletableFuture<Optional<String>> getAndPut(String key, String value);

  /** Replaces the value if it equals the expected one; otherwise returns the present one. */
  CompletableFuture<CompareAndSetResult<byte[]>> compareAndSet(
      byte[] key, byte[] expected, byte[] replacement);

  /**
   * As {@link #compareAndSet(byte[], byte[], byte[])}, with key and values in UTF-8. Returns
   * whether the value was replaced.
   */
  CompletableFuture<Boolean> compareAndSet(String key, String expected, String replacement);

  /** Removes the key if its value equals the expected one; otherwise returns the present one. */
  CompletableFuture<CompareAndSetResult<byte[]>> compareAndDelete(byte[] key, byte[] expected);

  /**
   * As {@link #compareAndDelete(byte[], byte[])}, with key and value in UTF-8. Returns whether the
   * key was removed.
   */
  CompletableFuture<Boolean> compareAndDelete(String key, String expected);

  /**
   * Applies the changes of a batch atomically. Returns the position of the write. Fails with {@link
   * InvalidRequestException}, before any request is sent, if the keys lie in more than one region.
   */
  CompletableFuture<Position> batch(Batch batch);

  /**
   * Returns the first rows of a range, fewer than {@code count} only if there are no more. Rows of
   * different pages may reflect different moments. All rows are held in memory.
   *
   * @param count the number of rows; 1 or more
   */
  CompletableFuture<List<KeyValue>> scan(KeyRange range, int count);

  /** As {@link #scan(KeyRange, int)}, with the highest keys of the range, in reverse order. */
  CompletableFuture<List<KeyValue>> scanReverse(KeyRange range, int count);

  /**
   * Returns the first rows whose keys begin with {@code prefix} in UTF-8, as {@link #scan(KeyRange,
   * int)} does for {@link KeyRange#ofPrefix(String)}.
   *
   * @param prefix the prefix; empty for all keys
   * @param count the number of rows; 1 or more
   */
  CompletableFuture<List<KeyValue>> scanPrefix(String prefix, int count);

  /**
   * Returns one page of a scan, which is a consistent cut of one region. The page has at least one
   * row unless the range has none left. The deadline applies to each region that is read. The next
   * page begins where this one says, which may be kept, or given to others, as {@link
   * io.quorate.model.Key#bytes}:
   *
   * <pre>{@code
   * KeyRange users = KeyRange.ofPrefix("user:");
   * ScanResult page = client.scanPage(users, 20);
   * page.continueAt().ifPresent(next -> client.scanPage(users.startingAt(next), 20));
   * }</pre>
   *
   * @param rowsMax the maximum number of rows, 1 or more; a page may have fewer rows without being
   *     the last: it ends at 16 KiB for each, of 64 KiB at least and 1 MiB at most
   */
  CompletableFuture<ScanResult> scanPage(KeyRange range, int rowsMax);

  /**
   * As {@link #scanPage}, in reverse order: the page has the highest keys of the range, and the
   * next one is that of {@link KeyRange#endingBefore} {@link ScanResult#continueAt}.
   */
  CompletableFuture<ScanResult> scanPageReverse(KeyRange range, int rowsMax);

  /**
   * Returns the state that each node reports about itself, waiting for each for {@link
   * ClientOptions#attemptTimeout}, or for the deadline of this client if that is shorter; it takes
   * three times as long at most, if nodes make others known. A node that cannot be reached is
   * listed with the reason. Fails with {@link IncompatibleException} if the addresses are those of
   * nodes of two clusters, or of no node at all.
   */
  CompletableFuture<ClusterStatus> status();

  /** As {@link #status()}, waiting for each node for this time, more than 0. */
  CompletableFuture<ClusterStatus> status(Duration timeout);

  /** Returns the operations on the regions of the cluster, with the deadline of this client. */
  RegionAdministration regions();

  /** Returns the operations on the nodes of the cluster, with the deadline of this client. */
  NodeAdministration nodes();

  /** Returns the operations on users and roles, with the deadline of this client. */
  AccessAdministration access();

  /** Returns a view of this client whose calls block. Closing either closes both. */
  QuorateClient blocking();

  /**
   * Closes the client with all of its views, whichever of them this is: {@link #withDeadline},
   * {@link #withGuarantee}, {@link #namespace} and {@link #blocking} share its connections. So
   * close one of them, once: a container that closes what it has made is given a view with nothing
   * to call at its end. Ends every call in progress and closes every connection. Writes that were
   * sent fail with {@link IndeterminateException}, all other calls with {@link
   * ClientClosedException}. If the client has written, the cluster is told before, for half a
   * second at most, that it need not remember the writes. Blocks until the connections are closed,
   * except on the client's own thread, and for 5 s at most if a stage or listener blocks that. A
   * second invocation has no effect.
   */
  @Override
  void close();
}
