package io.quorate.rabia.transport;

import io.netty.buffer.ByteBuf;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Frames that wait to be sent to one peer, bounded by count and bytes. Any thread; the frames of
 * one thread stay in the order in which it offered them.
 */
final class SendQueue {
  private final int framesMax;
  private final long bytesMax;
  private final Queue<ByteBuf> frames = new ConcurrentLinkedQueue<>();
  private final AtomicInteger count = new AtomicInteger();
  private final AtomicLong bytes = new AtomicLong();
  private volatile boolean open;

  SendQueue(int framesMax, long bytesMax) {
    this.framesMax = framesMax;
    this.bytesMax = bytesMax;
  }

  boolean isOpen() {
    return open;
  }

  boolean isEmpty() {
    return frames.isEmpty();
  }

  long bytes() {
    return bytes.get();
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
    int size = frame.readableBytes();
    boolean fits = bytes.addAndGet(size) <= bytesMax;
    if (count.incrementAndGet() > framesMax || !fits) {
      count.decrementAndGet();
      bytes.addAndGet(-size);
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
      count.decrementAndGet();
      bytes.addAndGet(-frame.readableBytes());
    }
    return frame;
  }
}
