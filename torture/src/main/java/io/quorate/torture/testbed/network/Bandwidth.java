package io.quorate.torture.testbed.network;

import io.quorate.model.NodeId;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The bandwidth of each node in each direction, which all of its connections share; that of the
 * clients is not limited. Thread-safe.
 */
public final class Bandwidth {
  /** Nothing is limited. */
  public static final Bandwidth UNLIMITED = new Bandwidth(0);

  private static final int BITS = 8;

  private final double nanosPerByte;

  /** The time until which each node sends what it has been given. */
  private final Map<NodeId, Long> sendingUntil = new HashMap<>();

  private final Map<NodeId, Long> receivingUntil = new HashMap<>();

  private Bandwidth(double nanosPerByte) {
    this.nanosPerByte = nanosPerByte;
  }

  /**
   * @param perSecond of each node in each direction, 1 or more
   */
  public static Bandwidth ofMegabits(int perSecond) {
    return new Bandwidth((double) TimeUnit.SECONDS.toNanos(1) * BITS / perSecond / 1_000_000);
  }

  /** Blocks until so many bytes have been sent and received. */
  void transmit(Link link, int bytes) throws InterruptedException {
    if (nanosPerByte == 0) {
      return;
    }
    long now = System.nanoTime();
    long nanos = reserve(link, bytes, now) - now;
    if (nanos > 0) {
      TimeUnit.NANOSECONDS.sleep(nanos);
    }
  }

  /**
   * Reserves the time for so many bytes at both ends of a link.
   *
   * @return when they have been sent and received
   */
  synchronized long reserve(Link link, int bytes, long nowNanos) {
    long nanos = Math.round(bytes * nanosPerByte);
    return Math.max(
        reserve(sendingUntil, link.from(), nanos, nowNanos),
        reserve(receivingUntil, link.to(), nanos, nowNanos));
  }

  private static long reserve(Map<NodeId, Long> until, NodeId node, long nanos, long nowNanos) {
    if (node.equals(Link.CLIENTS)) {
      return nowNanos;
    }
    long earlier = until.getOrDefault(node, nowNanos);
    long end = (earlier - nowNanos > 0 ? earlier : nowNanos) + nanos;
    until.put(node, end);
    return end;
  }
}
