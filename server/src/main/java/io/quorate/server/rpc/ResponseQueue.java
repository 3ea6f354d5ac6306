package io.quorate.server.rpc;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Responses that wait to be sent on one connection. Any thread adds; the connection's event loop
 * writes all of them and flushes once.
 *
 * <p>Bounded by the limits on what the connection has in flight: a response without a permit is
 * produced only on the event loop while it reads, and it stops reading while too many bytes are
 * unsent.
 */
final class ResponseQueue {
  private record Entry(ByteBuf frame, Runnable written) {}

  private final Channel channel;
  private final Queue<Entry> entries = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean scheduled = new AtomicBoolean();

  ResponseQueue(Channel channel) {
    this.channel = channel;
  }

  Channel channel() {
    return channel;
  }

  /**
   * Sends a frame and takes ownership of it.
   *
   * @param written run once, when the frame has been written or cannot be
   */
  void send(ByteBuf frame, Runnable written) {
    entries.add(new Entry(frame, written));
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
    for (Entry entry = entries.poll(); entry != null; entry = entries.poll()) {
      Runnable written = entry.written();
      channel.write(entry.frame()).addListener(ignored -> written.run());
      any = true;
    }
    if (any) {
      channel.flush();
    }
  }

  private void discard() {
    for (Entry entry = entries.poll(); entry != null; entry = entries.poll()) {
      entry.frame().release();
      entry.written().run();
    }
  }
}
