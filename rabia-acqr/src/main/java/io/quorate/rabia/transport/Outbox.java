package io.quorate.rabia.transport;

import io.netty.buffer.ByteBuf;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Frames on their way to one peer, in order, bounded by count and bytes. Any thread; frames of one
 * thread stay in the order in which it offered them.
 */
final class Outbox {
  private final int framesMax;
  private final long bytesMax;
  private final Queue<ByteBuf> frames = new ConcurrentLinkedQueue<>();
  private final AtomicInteger count = new AtomicInteger();
  private final AtomicLong bytes = new AtomicLong();
  private volatile boolean open;

  Outbox(int framesMax, long bytesMax) {
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

  /** Takes no more, and releases what it has. Returns how many frames that were. */
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
   * Adds a frame, or says that there is no room for it.
   *
   * @param frame belongs to the outbox if it was taken
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
      // Closed meanwhile; whoever closed it may not have seen this frame.
      close();
    }
    return true;
  }

  /** The oldest frame, which now is the caller's, or null. */
  ByteBuf poll() {
    ByteBuf frame = frames.poll();
    if (frame != null) {
      count.decrementAndGet();
      bytes.addAndGet(-frame.readableBytes());
    }
    return frame;
  }
}
