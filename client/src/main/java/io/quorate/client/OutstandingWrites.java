package io.quorate.client;

import io.quorate.operation.ClientId;
import io.quorate.operation.RequestTag;
import java.util.LinkedHashSet;

/**
 * Numbers the writes of one client and knows the lowest number that may still be sent again. Used
 * by one thread.
 */
final class OutstandingWrites {
  private final ClientId client;
  // In the order of insertion, which is that of the numbers.
  private final LinkedHashSet<Long> outstanding = new LinkedHashSet<>();
  private long last;

  OutstandingWrites(ClientId client) {
    this.client = client;
  }

  /** The number of a new write, which is outstanding from now on. */
  long begin() {
    outstanding.add(++last);
    return last;
  }

  /** The write has its answer, or was given up: it is not sent again. */
  void end(long sequence) {
    outstanding.remove(sequence);
  }

  /** The tag with which an outstanding write is sent now. */
  RequestTag tag(long sequence) {
    return new RequestTag(client, sequence, outstanding.iterator().next());
  }
}
