package io.quorate.server.logging;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;

/**
 * Writes lines on a thread of its own, in their order, so that no other thread waits for the
 * output: a file on a disk that hangs, or a pipe that no process reads. The lines that wait are
 * bounded by their number and their bytes; a line that finds no room is dropped and counted, and so
 * is one that the output rejects. Any thread; {@link #add} does not block.
 */
final class LineQueue {
  private final OutputStream out;
  private final int linesMax;
  private final long bytesMax;
  private final LongConsumer resumed;
  private final ReentrantLock lock = new ReentrantLock();

  /** Signalled when a line is added and when one is written. */
  private final Condition changed = lock.newCondition();

  private final Thread thread;

  /** Guarded by the lock, as are all fields below. */
  private final Deque<byte[]> lines = new ArrayDeque<>();

  private long bytes;
  private boolean isWriting;
  private long dropped;
  private long droppedUnreported;

  /**
   * @param linesMax the most lines that wait, at least 1
   * @param bytesMax the most bytes of lines that wait
   * @param resumed called on the thread of the queue when the output accepts lines again after some
   *     were dropped, with the number of these; may log
   */
  LineQueue(OutputStream out, int linesMax, long bytesMax, LongConsumer resumed) {
    this.out = out;
    this.linesMax = linesMax;
    this.bytesMax = bytesMax;
    this.resumed = resumed;
    this.thread = new Thread(this::run, "quorate-log");
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** Adds a line, or drops it if there is no room. Does not block. */
  void add(byte[] line) {
    lock.lock();
    try {
      if (lines.size() >= linesMax || bytes + line.length > bytesMax) {
        drop(1);
        return;
      }
      lines.add(line);
      bytes += line.length;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** The number of lines that were dropped so far. */
  long dropped() {
    lock.lock();
    try {
      return dropped;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Blocks until every line has been passed to the output, for a time at most.
   *
   * @return whether none waits
   */
  boolean flush(Duration timeout) {
    long nanos = timeout.toNanos();
    lock.lock();
    try {
      while (!lines.isEmpty() || isWriting) {
        if (nanos <= 0) {
          return false;
        }
        nanos = changed.awaitNanos(nanos);
      }
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    try {
      while (true) {
        write(take());
        reportDropped();
      }
    } catch (InterruptedException e) {
      // No part of the program interrupts this thread.
      Thread.currentThread().interrupt();
    }
  }

  private byte[] take() throws InterruptedException {
    lock.lock();
    try {
      while (lines.isEmpty()) {
        changed.await();
      }
      isWriting = true;
      byte[] line = lines.remove();
      bytes -= line.length;
      return line;
    } finally {
      lock.unlock();
    }
  }

  private void write(byte[] line) {
    boolean isWritten = false;
    try {
      out.write(line);
      out.flush();
      isWritten = true;
    } catch (IOException e) {
      // There is no other place to report it. The line counts as dropped.
      pause();
    } finally {
      lock.lock();
      try {
        isWriting = false;
        if (!isWritten) {
          drop(1);
        }
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  /** An output that rejects lines, such as a full disk, is not tried as often as possible. */
  private static void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(10);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** To be called with the lock. */
  private void drop(int count) {
    dropped += count;
    droppedUnreported += count;
  }

  /** After a line was written, and half of the queue is free: the report itself needs room. */
  private void reportDropped() {
    long count;
    lock.lock();
    try {
      if (droppedUnreported == 0 || lines.size() > linesMax / 2 || bytes > bytesMax / 2) {
        return;
      }
      count = droppedUnreported;
      droppedUnreported = 0;
    } finally {
      lock.unlock();
    }
    resumed.accept(count);
  }
}
