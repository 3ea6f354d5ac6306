package io.quorate.rabia.transport;

/** What is being worked on, bounded by count and bytes. Any thread. */
final class InFlight {
  private final int countMax;
  private final long bytesMax;
  private int count;
  private long bytes;

  InFlight(int countMax, long bytesMax) {
    this.countMax = countMax;
    this.bytesMax = bytesMax;
  }

  /** As many requests to, or of, one peer as the settings allow. */
  static InFlight ofRequests(TransportSettings settings) {
    return new InFlight(settings.requestsInFlightMax(), settings.requestBytesMax());
  }

  /** Counts one more of this size, if there is room. */
  synchronized boolean tryBegin(int size) {
    if (count >= countMax || bytes + size > bytesMax) {
      return false;
    }
    count++;
    bytes += size;
    return true;
  }

  /** Counts that one has grown, if there is room. */
  synchronized boolean tryGrow(int more) {
    if (bytes + more > bytesMax) {
      return false;
    }
    bytes += more;
    return true;
  }

  /**
   * @param size with what it has grown by
   */
  synchronized void end(int size) {
    count--;
    bytes -= size;
  }
}
