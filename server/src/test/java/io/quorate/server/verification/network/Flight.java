package io.quorate.server.verification.network;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What is on its way in one direction of a connection: it arrives in the order in which it left,
 * each piece when its delay has passed. One thread sends, another one receives.
 *
 * <p>At most {@link #BYTES_MAX} bytes in {@link #PIECES_MAX} pieces are on their way, as in a TCP
 * window; the sender waits while it is full.
 */
final class Flight {
  static final int BYTES_MAX = 64 << 20;
  static final int PIECES_MAX = 1 << 16;

  private record Piece(byte[] bytes, long dueNanos) {}

  private final Queue<Piece> pieces = new ArrayDeque<>();
  // A monitor waits for whole milliseconds, which is too coarse for delays of a few.
  private final Lock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private int bytes;
  private boolean ended;
  private boolean abandoned;

  /**
   * Sends a piece that is due so much later; blocks while there is no room for it.
   *
   * @return whether anybody still receives
   */
  boolean send(byte[] piece, long delayNanos) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (!abandoned && isFull(piece.length)) {
        changed.await();
      }
      if (abandoned) {
        return false;
      }
      pieces.add(new Piece(piece, System.nanoTime() + delayNanos));
      bytes += piece.length;
      changed.signalAll();
      return true;
    } finally {
      lock.unlock();
    }
  }

  private boolean isFull(int more) {
    return pieces.size() == PIECES_MAX || (!pieces.isEmpty() && bytes + more > BYTES_MAX);
  }

  /** Nothing more will be sent. What is on its way still arrives. */
  void end() {
    lock.lock();
    try {
      ended = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Nothing more will be received. */
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
   * Blocks until the next piece is due, or everything has arrived.
   *
   * @return the piece; an empty one at the end
   */
  byte[] receive() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (!pieces.isEmpty() || !ended) {
        if (pieces.isEmpty()) {
          changed.await();
          continue;
        }
        long left = pieces.element().dueNanos() - System.nanoTime();
        if (left <= 0) {
          Piece due = pieces.remove();
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
