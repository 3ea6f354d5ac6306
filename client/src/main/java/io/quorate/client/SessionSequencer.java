package io.quorate.client;

import io.quorate.consensus.GroupId;
import io.quorate.operation.ClientId;
import io.quorate.operation.RequestId;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Assigns sequence numbers to the writes of one client and tracks, for each region, the lowest
 * number that may still be retried (the floor). Used by one thread.
 *
 * <p>A region keeps a limited number of results above the floor for deduplication ({@link
 * RequestId#WINDOW}). While one write to a region is stuck, at most that many later ones are sent
 * to it; other regions are not affected.
 */
final class SessionSequencer {

  /** A write with its sequence number. */
  private static final class SequencedWrite {
    final long sequence;
    RegionWindow window;
    boolean ended;

    SequencedWrite(long sequence, RegionWindow window) {
      this.sequence = sequence;
      this.window = window;
    }
  }

  /** The writes to one region, from the first one that has not ended. */
  private static final class RegionWindow {
    final ArrayDeque<SequencedWrite> sinceFloor = new ArrayDeque<>();
    final Set<Runnable> waiting = new LinkedHashSet<>();

    boolean hasCapacity() {
      return sinceFloor.size() < RequestId.WINDOW;
    }

    void dropEnded() {
      while (!sinceFloor.isEmpty()
          && (sinceFloor.peek().ended || sinceFloor.peek().window != this)) {
        sinceFloor.remove();
      }
    }
  }

  private final ClientId client;
  private final Map<GroupId, RegionWindow> windows = new HashMap<>();
  private final Map<Long, SequencedWrite> outstanding = new HashMap<>();
  private long last;

  SessionSequencer(ClientId client) {
    this.client = client;
  }

  /**
   * Returns the sequence number of a new write to a region, which is outstanding from now on; empty
   * if the window of the region is full.
   */
  OptionalLong begin(GroupId region) {
    RegionWindow window = window(region);
    if (!window.hasCapacity()) {
      return OptionalLong.empty();
    }
    SequencedWrite write = new SequencedWrite(++last, window);
    outstanding.put(write.sequence, write);
    window.sinceFloor.add(write);
    return OptionalLong.of(write.sequence);
  }

  /**
   * Runs the callback once when the window of the region has capacity for another write. The
   * callback may {@link #begin} one.
   */
  void awaitCapacity(GroupId region, Runnable callback) {
    window(region).waiting.add(callback);
  }

  /** Removes a callback that has not run. */
  void stopWaiting(Runnable callback) {
    windows.values().forEach(window -> window.waiting.remove(callback));
  }

  /** Called when the write has its result or was given up, and is not sent again. */
  void end(long sequence) {
    SequencedWrite write = outstanding.remove(sequence);
    if (write != null) {
      write.ended = true;
      settle(write.window);
    }
  }

  /**
   * Returns the request id with which an outstanding write is sent to a region now. The region is
   * usually the one for which the write began. If the topology has changed since, the write counts
   * in the window of the new region; if the floor there has risen above its number, the region
   * responds that the outcome is unknown.
   */
  RequestId tag(long sequence, GroupId region) {
    SequencedWrite write = outstanding.get(sequence);
    RegionWindow window = window(region);
    if (write.window != window) {
      RegionWindow former = write.window;
      write.window = window;
      window.sinceFloor.add(write);
      settle(former);
    }
    return new RequestId(client, sequence, Math.min(sequence, window.sinceFloor.peek().sequence));
  }

  private void settle(RegionWindow window) {
    window.dropEnded();
    while (window.hasCapacity() && !window.waiting.isEmpty()) {
      Runnable next = window.waiting.iterator().next();
      window.waiting.remove(next);
      next.run();
    }
  }

  private RegionWindow window(GroupId region) {
    return windows.computeIfAbsent(region, any -> new RegionWindow());
  }
}
