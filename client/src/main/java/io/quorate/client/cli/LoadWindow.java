package io.quorate.client.cli;

import io.quorate.consensus.Key;
import java.util.HashMap;
import java.util.Map;

/**
 * Bounds what a load has in flight, in lines and in bytes, and lets no two lines of the same key in
 * at once, so that the later one wins.
 */
final class LoadWindow {
  private final int linesMax;
  private final long bytesMax;
  private final Map<Key, Long> inFlight = new HashMap<>();
  private long bytes;

  LoadWindow(int linesMax, long bytesMax) {
    this.linesMax = linesMax;
    this.bytesMax = bytesMax;
  }

  /** Waits until there is room; a line that is larger than all of it goes alone. */
  synchronized void enter(Key key, long lineBytes) throws InterruptedException {
    while (!inFlight.isEmpty()
        && (inFlight.size() >= linesMax
            || bytes + lineBytes > bytesMax
            || inFlight.containsKey(key))) {
      wait();
    }
    inFlight.put(key, lineBytes);
    bytes += lineBytes;
  }

  synchronized void leave(Key key) {
    bytes -= inFlight.remove(key);
    notifyAll();
  }

  /** Waits until everything that entered has left. */
  synchronized void awaitEmpty() throws InterruptedException {
    while (!inFlight.isEmpty()) {
      wait();
    }
  }
}
