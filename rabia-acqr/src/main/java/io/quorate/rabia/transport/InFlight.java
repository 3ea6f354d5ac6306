package io.quorate.rabia.transport;

/** Requests in flight, bounded by count and bytes. Any thread. */
final class InFlight {
  private final int countMax;
  private final long bytesMax;
  private int count;
  private long bytes;

  InFlight(int countMax, long bytesMax) {
    this.countMax = countMax;
    this.bytesMax = bytesMax;
  }

  /** The bound of the settings on requests to, or from, one peer. */
  static InFlight ofRequests(TransportSettings settings) {
    return new InFlight(settings.requestsInFlightMax(), settings.requestBytesMax());
  }

  /** Counts one more request of this size, unless a bound is reached. */
  synchronized boolean tryBegin(int size) {
    if (count >= countMax || bytes + size > bytesMax) {
      return false;
    }
    count++;
    bytes += size;
    return true;
  }

  /** Counts the growth of a request, unless the bound on bytes is reached. */
  synchronized boolean tryGrow(int more) {
    if (bytes + more > bytesMax) {
      return false;
    }
    bytes += more;
    return true;
  }

  /**
   * @param size the size of the request, including its growth
   */
  synchronized void end(int size) {
    count--;
    bytes -= size;
  }
}
