package io.quorate.replication.transport;

import io.netty.buffer.ByteBuf;
import io.quorate.common.Budget;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Frames that wait to be sent to one peer, bounded by count and bytes. Any thread; the frames of
 * one thread stay in the order in which it offered them.
 */
final class SendQueue {
  private final Budget budget;
  private final Queue<ByteBuf> frames = new ConcurrentLinkedQueue<>();
  private volatile boolean open;

  SendQueue(int framesMax, long bytesMax) {
    this.budget = new Budget(framesMax, bytesMax);
  }

  boolean isOpen() {
    return open;
  }

  boolean isEmpty() {
    return frames.isEmpty();
  }

  long bytes() {
    return budget.bytes();
  }

  void open() {
    open = true;
  }

  /** Rejects further frames, releases the queued ones and returns their number. */
  int close() {
    open = false;
    int dropped = 0;
    for (ByteBuf frame = poll(); frame != null; frame = poll()) {
      frame.release();
      dropped++;
    }
    return dropped;
  }

  /**
   * Adds a frame unless a bound is reached.
   *
   * @param frame belongs to this queue if it was added
   * @return whether the frame was added
   */
  boolean offer(ByteBuf frame) {
    if (!budget.tryAcquire(frame.readableBytes())) {
      return false;
    }
    frames.add(frame);
    if (!open) {
      // Closed meanwhile: a concurrent close may have missed this frame.
      close();
    }
    return true;
  }

  /** Removes the oldest frame, which then belongs to the caller, or returns null. */
  ByteBuf poll() {
    ByteBuf frame = frames.poll();
    if (frame != null) {
      budget.release(frame.readableBytes());
    }
    return frame;
  }
}
