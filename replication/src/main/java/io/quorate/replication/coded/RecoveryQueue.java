package io.quorate.replication.coded;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/**
 * Bounds the bytes that recoveries hold at a time. A recovery beyond the bound waits, and is not
 * refused: reads that were admitted together would otherwise refuse each other for ever. Those that
 * wait are in order, and as many as were admitted at most. Thread-safe; nothing blocks.
 */
final class RecoveryQueue {
  private record Waiting(long bytes, Runnable begin) {}

  private final long bytesMax;
  private final Queue<Waiting> waiting = new ArrayDeque<>();
  private long inUse;

  RecoveryQueue(long bytesMax) {
    this.bytesMax = bytesMax;
  }

  /**
   * Begins a recovery, now or when others have ended; one may have any size if it is alone.
   *
   * @param bytes what it holds at most, above 0; to be {@linkplain #end ended} once
   * @param begin called once, on the thread of this call or of another recovery's end; must not
   *     throw
   */
  void begin(long bytes, Runnable begin) {
    synchronized (this) {
      waiting.add(new Waiting(bytes, begin));
    }
    beginDue();
  }

  /** Ends a recovery that has begun. */
  void end(long bytes) {
    synchronized (this) {
      inUse -= bytes;
    }
    beginDue();
  }

  private void beginDue() {
    List<Waiting> due = new ArrayList<>();
    synchronized (this) {
      while (!waiting.isEmpty() && (inUse == 0 || waiting.peek().bytes() <= bytesMax - inUse)) {
        Waiting next = waiting.remove();
        inUse += next.bytes();
        due.add(next);
      }
    }
    due.forEach(next -> next.begin().run());
  }
}
