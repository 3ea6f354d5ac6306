package io.quorate.torture.testbed.network;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The data in flight in one direction of a connection. Chunks arrive in the order in which they
 * were sent, each after its delay. One thread sends, another one receives.
 *
 * <p>At most {@link #BYTES_MAX} bytes in {@link #CHUNKS_MAX} chunks are in flight, as in a TCP
 * window; the sender blocks while it is full.
 */
final class DelayLine {
  static final int BYTES_MAX = 64 << 20;
  static final int CHUNKS_MAX = 1 << 16;

  private record Chunk(byte[] bytes, long dueNanos) {}

  private final Queue<Chunk> chunks = new ArrayDeque<>();
  // A monitor waits for whole milliseconds, which is too coarse for short delays.
  private final Lock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private int bytes;
  private boolean ended;
  private boolean abandoned;

  /**
   * Sends a chunk, which is due after the delay. Blocks while there is no capacity for it.
   *
   * @return whether the other thread still receives
   */
  boolean send(byte[] chunk, long delayNanos) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (!abandoned && isFull(chunk.length)) {
        changed.await();
      }
      if (abandoned) {
        return false;
      }
      chunks.add(new Chunk(chunk, System.nanoTime() + delayNanos));
      bytes += chunk.length;
      changed.signalAll();
      return true;
    } finally {
      lock.unlock();
    }
  }

  private boolean isFull(int more) {
    return chunks.size() == CHUNKS_MAX || (!chunks.isEmpty() && bytes + more > BYTES_MAX);
  }

  /** Ends sending. Data in flight still arrives. */
  void end() {
    lock.lock();
    try {
      ended = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Ends receiving: the sender does not block any more, and its data is dropped. */
  void abandon() {
    lock.lock();
    try {
      abandoned = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Blocks until the next chunk is due, or everything has arrived.
   *
   * @return the chunk; an empty one at the end
   */
  byte[] receive() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (!chunks.isEmpty() || !ended) {
        if (chunks.isEmpty()) {
          changed.await();
          continue;
        }
        long left = chunks.element().dueNanos() - System.nanoTime();
        if (left <= 0) {
          Chunk due = chunks.remove();
          bytes -= due.bytes().length;
          changed.signalAll();
          return due.bytes();
        }
        changed.awaitNanos(left);
      }
      return new byte[0];
    } finally {
      lock.unlock();
    }
  }
}
