package io.quorate.ratis.flow;

import java.util.ArrayDeque;

/**
 * The append requests with entries that a leader has sent to one follower and that the follower has
 * not acknowledged, in bytes. Ratis bounds only their number, and a follower with a slow disk holds
 * all of them in memory. Pure; not thread-safe.
 */
public final class AppendWindow {
  private record Sent(long lastIndex, long bytes) {}

  private final long bytesMax;
  private final ArrayDeque<Sent> unacknowledged = new ArrayDeque<>();
  private long bytes;

  /**
   * @param bytesMax no further request is sent once this many bytes are unacknowledged; the last
   *     request may exceed the bound
   */
  public AppendWindow(long bytesMax) {
    this.bytesMax = bytesMax;
  }

  /** Records a request that is sent, whose last entry has this index. */
  public void sent(long lastIndex, long size) {
    unacknowledged.addLast(new Sent(lastIndex, size));
    bytes += size;
  }

  /** Records that no request is in flight: each has a response, or its connection is lost. */
  public void clear() {
    unacknowledged.clear();
    bytes = 0;
  }

  /**
   * Whether no further request is to be sent.
   *
   * @param matchIndex the last entry that the follower has acknowledged
   * @param nextIndex the entry to be sent next; requests that were sent with entries from it on are
   *     lost
   */
  public boolean isFull(long matchIndex, long nextIndex) {
    while (!unacknowledged.isEmpty() && unacknowledged.getFirst().lastIndex() <= matchIndex) {
      bytes -= unacknowledged.removeFirst().bytes();
    }
    while (!unacknowledged.isEmpty() && unacknowledged.getLast().lastIndex() >= nextIndex) {
      bytes -= unacknowledged.removeLast().bytes();
    }
    return bytes >= bytesMax;
  }
}
