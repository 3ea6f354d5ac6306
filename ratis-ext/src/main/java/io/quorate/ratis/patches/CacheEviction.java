package io.quorate.ratis.patches;

import java.util.concurrent.TimeUnit;
import org.apache.ratis.protocol.RaftGroupMemberId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the thread that evicts a group's old log segments from memory, before Ratis closes the log.
 *
 * <p>Ratis 3.3.0 waits for that thread while it holds the log's lock, and the thread may be waiting
 * for the lock: a deadlock, in which the caller that closes the server waits for a day. Here no
 * lock is held, so the thread acquires its lock and then detects that it is to end.
 *
 * <p>Upstream: not reported; RATIS-1893 introduced the thread. Fails without it: {@code
 * RatisEngineTest}. Can go when Ratis ends the thread without the lock of the log.
 */
public final class CacheEviction {
  private static final Logger LOG = LoggerFactory.getLogger(CacheEviction.class);
  private static final long TIMEOUT_MILLIS = TimeUnit.SECONDS.toMillis(10);

  private CacheEviction() {}

  /** Blocks until the thread has ended, usually at once; gives up after ten seconds. */
  public static void end(RaftGroupMemberId member) {
    String name = threadName(member);
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().equals(name)) {
        end(thread);
      }
    }
  }

  /** The name that Ratis gives to the thread: one for each member of a group. */
  static String threadName(RaftGroupMemberId member) {
    return member + "-cacheEviction-AwaitToRun";
  }

  private static void end(Thread thread) {
    thread.interrupt();
    try {
      thread.join(TIMEOUT_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (thread.isAlive()) {
      LOG.warn("Thread {} does not end; closing the group may take long", thread.getName());
    }
  }
}
