package io.quorate.operation;

/**
 * Names one request, so that it takes effect once however often it arrives.
 *
 * @param client who asks
 * @param sequence the client's number for the request, from 1; a retry keeps it
 * @param floor the lowest sequence the client may still retry; answers to lower ones need not be
 *     kept. At most {@code sequence}.
 */
public record RequestTag(ClientId client, long sequence, long floor) {
  /**
   * How many of a client's requests to one region the region remembers above the floor. A client
   * that has sent so many since its floor sends no new one there until the floor has risen. Part of
   * the protocol, not a setting: it decides what is answered when a command is applied, and so must
   * be the same at every replica.
   */
  public static final int WINDOW = 4096;

  /** For commands that nobody would send twice. */
  public static final RequestTag NONE = new RequestTag(ClientId.NOBODY, 0, 0);

  public RequestTag {
    if (floor < 0 || sequence < floor) {
      throw new IllegalArgumentException(
          "A request's floor is from 0 to its sequence: floor " + floor + ", sequence " + sequence);
    }
  }

  /** Whether the request is to be recognised when it comes again. */
  public boolean isTracked() {
    return !client.equals(ClientId.NOBODY);
  }
}
