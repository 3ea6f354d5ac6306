package io.quorate.ratis.flow;

import java.util.ArrayDeque;

/**
 * What a replica has been sent since it started and has not handed to its state machine, in entries
 * and in bytes. It is full at either bound, and has room again below half of both, so that a sender
 * that is told of it does not start and stop with every entry. Thread-safe; does not block.
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

  /** An entry is in the log. One that is known already counts once. */
  public synchronized void logged(long index, long size) {
    if (entries.isEmpty() || entries.getLast().index() < index) {
      entries.addLast(new Entry(index, size));
      bytes += size;
      look();
    }
  }

  /** Entries from {@code first} on have left the log. */
  public synchronized void truncated(long first) {
    while (!entries.isEmpty() && entries.getLast().index() >= first) {
      bytes -= entries.removeLast().bytes();
    }
    look();
  }

  /** The state machine has everything up to {@code index}. */
  public synchronized void handedOver(long index) {
    while (!entries.isEmpty() && entries.getFirst().index() <= index) {
      bytes -= entries.removeFirst().bytes();
    }
    look();
  }

  /** Whether no further entry is to be let in. */
  public boolean isFull() {
    return full;
  }

  public synchronized int entries() {
    return entries.size();
  }

  public synchronized long bytes() {
    return bytes;
  }

  private void look() {
    full =
        full
            ? entries.size() > entriesMax / 2 || bytes > bytesMax / 2
            : entries.size() >= entriesMax || bytes >= bytesMax;
  }
}
