package io.quorate.server.rpc.request;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Responses that wait to be sent on one connection. Any thread adds; the connection's event loop
 * writes them and flushes once. A long frame is written in pieces, as the client reads them: what
 * is written is copied into memory outside of the heap, whose size does not depend on the length of
 * a frame then.
 *
 * <p>Bounded by the limits on what the connection has in flight: a response without a permit is
 * produced only on the event loop while it reads, and it stops reading while too many bytes are
 * unsent.
 */
public final class ResponseQueue {
  private static final int PIECE_BYTES = 128 << 10;

  private record Entry(ByteBuf frame, Runnable written) {}

  private final Channel channel;
  private final Queue<Entry> entries = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean scheduled = new AtomicBoolean();

  /** Only the event loop polls; this is the frame that is being written in pieces. */
  private Entry partlyWritten;

  public ResponseQueue(Channel channel) {
    this.channel = channel;
  }

  public Channel channel() {
    return channel;
  }

  /**
   * Sends a frame and takes ownership of it.
   *
   * @param written run once, when the frame has been written or cannot be
   */
  public void send(ByteBuf frame, Runnable written) {
    entries.add(new Entry(frame, written));
    schedule();
  }

  /** Continues with a frame whose pieces wait, since the channel is writable again, or closed. */
  public void resume() {
    schedule();
  }

  private void schedule() {
    if (scheduled.compareAndSet(false, true)) {
      try {
        channel.eventLoop().execute(this::drain);
      } catch (RejectedExecutionException e) {
        // The event loops have ended, so nothing can be sent.
        scheduled.set(false);
        discard();
      }
    }
  }

  private void drain() {
    scheduled.set(false);
    boolean any = false;
    for (Entry entry = next(); entry != null; entry = next()) {
      partlyWritten = entry;
      // A write to a closed channel fails at once, and releases the frame.
      while (channel.isActive() && entry.frame().readableBytes() > PIECE_BYTES) {
        if (!channel.isWritable()) {
          flush(any);
          return;
        }
        channel.write(entry.frame().readRetainedSlice(PIECE_BYTES), channel.voidPromise());
        any = true;
      }
      partlyWritten = null;
      Runnable written = entry.written();
      channel.write(entry.frame()).addListener(ignored -> written.run());
      any = true;
    }
    flush(any);
  }

  private Entry next() {
    return partlyWritten != null ? partlyWritten : entries.poll();
  }

  private void flush(boolean any) {
    if (any) {
      channel.flush();
    }
  }

  private void discard() {
    for (Entry entry = next(); entry != null; entry = next()) {
      partlyWritten = null;
      entry.frame().release();
      entry.written().run();
    }
  }
}
