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
