package io.quorate.ratis.flow;

import java.util.ArrayDeque;

/**
 * The requests with entries that a leader has sent to one follower and that the follower has not
 * acknowledged, in bytes. Ratis bounds their number alone, and a follower whose disk is slow holds
 * them all in memory. Pure; not thread-safe.
 */
public final class AppendWindow {
  private record Sent(long lastIndex, long bytes) {}

  private final long bytesMax;
  private final ArrayDeque<Sent> unacknowledged = new ArrayDeque<>();
  private long bytes;

  /**
   * @param bytesMax no further request once so much is unacknowledged; the last one comes on top
   */
  public AppendWindow(long bytesMax) {
    this.bytesMax = bytesMax;
  }

  /** A request leaves, whose last entry has this index. */
  public void sent(long lastIndex, long size) {
    unacknowledged.addLast(new Sent(lastIndex, size));
    bytes += size;
  }

  /** No request is under way: each has been answered, or its connection is lost. */
  public void clear() {
    unacknowledged.clear();
    bytes = 0;
  }

  /**
   * Whether no further request is to leave.
   *
   * @param matchIndex the last entry that the follower has acknowledged
   * @param nextIndex the entry to be sent next; those from it on that were sent are lost
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
