package io.quorate.server.access;

import java.net.SocketAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Bounds attempts to find a secret: from one address, {@value #OF_USER_MAX} failures a minute for a
 * user, and {@value #OF_ADDRESS_MAX} for all. Those of other addresses are not affected; a network
 * of IPv6 is one address. Any thread.
 */
public final class FailedLogins {
  static final int OF_USER_MAX = 10;
  static final int OF_ADDRESS_MAX = 100;

  private static final long WINDOW_NANOS = Duration.ofMinutes(1).toNanos();
  private static final int COUNTS_MAX = 10_000;

  private final LongSupplier nanoClock;

  /** In the order of their last use; the oldest is forgotten if there are too many. */
  private final Map<String, Count> counts =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Count> eldest) {
          return size() > COUNTS_MAX;
        }
      };

  private record Count(long sinceNanos, int failures) {}

  /**
   * @param nanoClock as {@link System#nanoTime}
   */
  public FailedLogins(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  /** Whether another attempt of this user from this address is served. */
  public synchronized boolean admits(SocketAddress from, String user) {
    String address = ClientAddress.share(from);
    return present(ofUser(address, user)).failures() < OF_USER_MAX
        && present(address).failures() < OF_ADDRESS_MAX;
  }

  /** Counts an attempt that failed. */
  public synchronized void failed(SocketAddress from, String user) {
    String address = ClientAddress.share(from);
    add(ofUser(address, user));
    add(address);
  }

  private void add(String key) {
    Count count = present(key);
    counts.put(key, new Count(count.sinceNanos(), count.failures() + 1));
  }

  private Count present(String key) {
    Count count = counts.get(key);
    long now = nanoClock.getAsLong();
    return count == null || now - count.sinceNanos() >= WINDOW_NANOS ? new Count(now, 0) : count;
  }

  private static String ofUser(String address, String user) {
    return address + " " + user;
  }
}
