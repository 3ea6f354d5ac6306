package io.quorate.server.cli.load;

import io.quorate.model.Key;
import java.util.HashMap;
import java.util.Map;

/**
 * Flow control of a load: bounds its lines and bytes in flight, and admits only one line per key at
 * a time, so that the later line wins.
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

  /**
   * Waits until the window has capacity for the line; a line larger than the window is sent alone.
   */
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

  /** Waits until no line is in flight. */
  synchronized void awaitEmpty() throws InterruptedException {
    while (!inFlight.isEmpty()) {
      wait();
    }
  }
}
