package io.quorate.client;

/**
 * Writes many keys. Many writes are in flight, and each method blocks while there are as many as
 * there may be: at most 1,024, and half of the calls and bytes that the client may have in flight,
 * so that memory is bounded however fast the caller is. A write that fails with {@link
 * OverloadedException} is made again, for {@link ClientOptions#DEADLINE_MAX} at most; other
 * failures are counted. The writes have the deadline of the client.
 *
 * <p>Writes may take effect in any order: write each key once, or call {@link #flush} between two
 * writes of one key. This holds for a writer of an {@link QuorateClient#ordered} client too, since
 * a write may be made again. Safe for use by multiple threads. No method may be called on the
 * client's own thread, for which it throws {@link IllegalStateException}. If the thread is
 * interrupted, its interrupt status stays set, and a method that would block throws: {@link
 * UnavailableException} if nothing was sent, {@link IndeterminateException} from {@link #flush} and
 * {@link #close}. A method that writes throws {@link ClientClosedException} once the client is
 * closed.
 *
 * <pre>{@code
 * try (BulkWriter writer = client.bulk()) {
 *   orders.forEach(order -> writer.put(order.id(), order.json()));
 *   BulkResult result = writer.flush();
 * }
 * }</pre>
 */
public interface BulkWriter extends AutoCloseable {
  /** Sets the value. The arrays are not copied; do not modify them before {@link #flush}. */
  void put(byte[] key, byte[] value);

  /**
   * As {@link #put(byte[], byte[])}, with key and value in UTF-8.
   *
   * @throws InvalidRequestException if UTF-8 cannot encode them
   */
  void put(String key, String value);

  /**
   * As {@link #put(byte[], byte[])}, with the key in UTF-8.
   *
   * @throws InvalidRequestException if UTF-8 cannot encode it
   */
  void put(String key, byte[] value);

  /** Removes the key. The array is not copied. */
  void delete(byte[] key);

  /**
   * As {@link #delete(byte[])}, with the key in UTF-8.
   *
   * @throws InvalidRequestException if UTF-8 cannot encode it
   */
  void delete(String key);

  /** Blocks until every write before has ended, and returns what was written since the opening. */
  BulkResult flush();

  /**
   * Blocks as {@link #flush}, and throws the first failure unless a {@link #flush} has returned
   * one. Does not close the client. A method that writes throws {@link IllegalStateException}
   * afterwards; a second invocation has no effect.
   */
  @Override
  void close();
}
