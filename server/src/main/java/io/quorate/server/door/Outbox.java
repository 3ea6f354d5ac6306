package io.quorate.server.door;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Answers on their way to one connection. Any thread adds; the connection's event loop sends what
 * has gathered and flushes once.
 *
 * <p>Bounded by what the connection may have in flight: an answer without a permit is made only on
 * the event loop, while it reads, and it stops reading while much is unsent.
 */
final class Outbox {
  private record Entry(ByteBuf frame, Runnable written) {}

  private final Channel channel;
  private final Queue<Entry> entries = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean scheduled = new AtomicBoolean();

  Outbox(Channel channel) {
    this.channel = channel;
  }

  Channel channel() {
    return channel;
  }

  /**
   * Sends a frame, which now belongs to the outbox.
   *
   * @param written run once, when the frame has been written or cannot be
   */
  void send(ByteBuf frame, Runnable written) {
    entries.add(new Entry(frame, written));
    if (scheduled.compareAndSet(false, true)) {
      try {
        channel.eventLoop().execute(this::drain);
      } catch (RejectedExecutionException e) {
        // The event loops have ended: nobody sends any more.
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
