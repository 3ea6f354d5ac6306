package io.quorate.ratis.flow;

import java.util.ArrayDeque;

/**
 * The entries that a replica has received since it started and has not delivered to its state
 * machine, in number and in bytes. It is full at either bound, and has capacity again below half of
 * both, so that a sender that receives this state does not start and stop with every entry.
 * Thread-safe; does not block.
 */
public final class UnappliedLog {
  private record Entry(long index, long bytes) {}

  private final int entriesMax;
  private final long bytesMax;
  private final ArrayDeque<Entry> entries = new ArrayDeque<>();
  private long bytes;
  private volatile boolean full;

  public UnappliedLog(int entriesMax, long bytesMax) {
    this.entriesMax = entriesMax;
    this.bytesMax = bytesMax;
  }

  /** Records an entry in the log. An entry that is already known counts once. */
  public synchronized void logged(long index, long size) {
    if (entries.isEmpty() || entries.getLast().index() < index) {
      entries.addLast(new Entry(index, size));
      bytes += size;
      updateFull();
    }
  }

  /** Records that the entries from {@code first} on have left the log. */
  public synchronized void truncated(long first) {
    while (!entries.isEmpty() && entries.getLast().index() >= first) {
      bytes -= entries.removeLast().bytes();
    }
    updateFull();
  }

  /** Records that the state machine has received all entries up to {@code index}. */
  public synchronized void handedOver(long index) {
    while (!entries.isEmpty() && entries.getFirst().index() <= index) {
      bytes -= entries.removeFirst().bytes();
    }
    updateFull();
  }

  /** Whether no further entry is to be accepted. */
  public boolean isFull() {
    return full;
  }

  public synchronized int entries() {
    return entries.size();
  }

  public synchronized long bytes() {
    return bytes;
  }

  private void updateFull() {
    full =
        full
            ? entries.size() > entriesMax / 2 || bytes > bytesMax / 2
            : entries.size() >= entriesMax || bytes >= bytesMax;
  }
}
