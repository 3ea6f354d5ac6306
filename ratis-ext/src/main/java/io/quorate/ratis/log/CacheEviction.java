package io.quorate.ratis.log;

import java.util.concurrent.TimeUnit;
import org.apache.ratis.protocol.RaftGroupMemberId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the thread that frees the memory of a group's old log segments, before Ratis closes the log.
 *
 * <p>Ratis 3.3.0 waits for that thread while it holds the log's lock, and the thread may be waiting
 * for the lock: neither ends, and whoever closes the server waits for a day. Here nothing is held,
 * so the thread gets its lock, and then sees that it is to end.
 */
public final class CacheEviction {
  private static final Logger LOG = LoggerFactory.getLogger(CacheEviction.class);
  private static final long PATIENCE_MILLIS = TimeUnit.SECONDS.toMillis(10);

  private CacheEviction() {}

  /** Blocks until the thread has ended, as a rule at once; gives up after ten seconds. */
  public static void end(RaftGroupMemberId member) {
    String name = threadName(member);
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().equals(name)) {
        end(thread);
      }
    }
  }

  /** As Ratis names it: one a member of a group. */
  static String threadName(RaftGroupMemberId member) {
    return member + "-cacheEviction-AwaitToRun";
  }

  private static void end(Thread thread) {
    thread.interrupt();
    try {
      thread.join(PATIENCE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (thread.isAlive()) {
      LOG.warn("Thread {} does not end; closing the group may take long", thread.getName());
    }
  }
}
