package io.quorate.client.internal.call;

import io.quorate.client.ClientOptions;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The writes of a client whose outcome is unknown and that no call goes on with: their sequence
 * numbers stay outstanding, so that their results can still be asked for. Bounded by their number,
 * bytes and time; those that were added first are given up first. Used by the event loop only.
 */
final class HeldWrites {
  static final int WRITES_MAX = 1024;
  private static final long HELD_NANOS = ClientOptions.DEADLINE_MAX.toNanos();

  private final ClientContext context;
  private final Set<UnsettledWrite> writes = new LinkedHashSet<>();
  private long bytes;
  private boolean isExpiryScheduled;

  HeldWrites(ClientContext context) {
    this.context = context;
  }

  void add(UnsettledWrite write) {
    writes.add(write);
    bytes += write.costBytes();
    while (writes.size() > WRITES_MAX || bytes > context.options().inFlightBytesMax()) {
      lose(
          writes.iterator().next(),
          "the client keeps at most "
              + WRITES_MAX
              + " such writes with "
              + context.options().inFlightBytesMax()
              + " bytes, and there were later ones");
    }
    scheduleExpiry();
  }

  /** Has no effect if the write is not held. */
  void remove(UnsettledWrite write) {
    if (writes.remove(write)) {
      bytes -= write.costBytes();
    }
  }

  /** Gives all of them up. */
  void loseAll(String reason) {
    List.copyOf(writes).forEach(write -> lose(write, reason));
  }

  int size() {
    return writes.size();
  }

  private void lose(UnsettledWrite write, String reason) {
    remove(write);
    write.lost(reason);
  }

  /** One timer for all: they expire in the order in which they were added. */
  private void scheduleExpiry() {
    Iterator<UnsettledWrite> first = writes.iterator();
    if (first.hasNext() && !isExpiryScheduled) {
      isExpiryScheduled = true;
      long left = first.next().heldSinceNanos() + HELD_NANOS - System.nanoTime();
      context.loop().schedule(this::expire, Math.max(1, left), TimeUnit.NANOSECONDS);
    }
  }

  private void expire() {
    isExpiryScheduled = false;
    long now = System.nanoTime();
    List.copyOf(writes).stream()
        .takeWhile(write -> now - write.heldSinceNanos() >= HELD_NANOS)
        .forEach(write -> lose(write, "the client keeps such a write for 5 minutes"));
    scheduleExpiry();
  }
}
