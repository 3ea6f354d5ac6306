package io.quorate.protocol.operation;

/**
 * Identifies a request for deduplication, so that it takes effect once even if it is sent several
 * times.
 *
 * @param client the client session
 * @param sequence the client's number of the request, from 1 to {@link #SEQUENCE_MAX}; a retry has
 *     the same number
 * @param floor the lowest sequence that the client may still retry, from 0 to {@code sequence};
 *     results of lower sequences need not be kept
 * @param known what the client knew of the region when the call began; equal in every copy of the
 *     request
 */
public record RequestId(ClientId client, long sequence, long floor, KnownPosition known) {
  /**
   * The maximum number of results above the floor that a region keeps for one client. A client that
   * has sent this many requests to a region above its floor sends no new request there until the
   * floor has risen. Part of the protocol and not a setting: it determines the results of applied
   * commands, and therefore must be equal at every replica.
   */
  public static final int WINDOW = 4096;

  /**
   * The highest sequence. Floors that a region raises are at most one above, so that a greater one
   * can stand for a session that has ended.
   */
  public static final long SEQUENCE_MAX = Long.MAX_VALUE - 2;

  /** The id of commands that are never retried. */
  public static final RequestId NONE = new RequestId(ClientId.ANONYMOUS, 0, 0);

  /** Of a client that knew no position of the region when the call began. */
  public RequestId(ClientId client, long sequence, long floor) {
    this(client, sequence, floor, KnownPosition.NONE);
  }

  public RequestId {
    if (floor < 0 || sequence < floor) {
      throw new IllegalArgumentException(
          "A request's floor is from 0 to its sequence: floor " + floor + ", sequence " + sequence);
    }
    if (sequence > SEQUENCE_MAX) {
      throw new IllegalArgumentException(
          "A request's sequence is at most " + SEQUENCE_MAX + ": " + sequence);
    }
  }

  /**
   * The maximum number of results that a region keeps for one client when it absorbs another
   * region, unless it has more itself. Part of the protocol, as the window is.
   *
   * @param window the maximum number of results for one client otherwise
   */
  public static int resultsAfterMerge(int window) {
    return window / 2;
  }

  /** Whether replicas deduplicate the request. */
  public boolean isTracked() {
    return !client.equals(ClientId.ANONYMOUS);
  }
}
