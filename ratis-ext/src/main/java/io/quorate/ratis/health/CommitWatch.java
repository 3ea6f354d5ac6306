package io.quorate.ratis.health;

import java.time.Duration;

/**
 * Whether a leader commits nothing although entries wait: its followers respond, and a majority of
 * them accepts no entries, or it cannot send any. If that lasts, it steps down from time to time,
 * since another replica may be able to commit. One thread calls {@link #tick}; any thread may call
 * the other methods. Nothing blocks.
 */
public final class CommitWatch {
  /** How long entries may wait; the leader steps down after as long again. */
  static final Duration PATIENCE = Duration.ofSeconds(10);

  /** The time between two times at which the leader steps down: elections need some of it. */
  private static final long PAUSE_NANOS = Duration.ofSeconds(60).toNanos();

  private final StallWatch watch;
  private volatile boolean isStalled;
  private long stalledSinceNanos;
  private boolean hasSteppedDown;
  private long steppedDownNanos;

  /**
   * @param tick the interval between calls of {@link #tick}
   */
  public CommitWatch(Duration tick) {
    this.watch = new StallWatch(PATIENCE, tick);
  }

  /**
   * Checks the progress.
   *
   * @param nowNanos as {@link System#nanoTime}
   * @param leads whether this replica leads
   * @param last the last index in its log
   * @param committed the last index that is committed
   * @return whether it is to step down now
   */
  public boolean tick(long nowNanos, boolean leads, long last, long committed) {
    watch.tick(nowNanos, leads && last > committed, committed);
    boolean stalls = leads && watch.isStalled();
    if (stalls && !isStalled) {
      stalledSinceNanos = nowNanos;
    }
    isStalled = stalls;
    boolean isDue =
        stalls
            && nowNanos - stalledSinceNanos >= PATIENCE.toNanos()
            && (!hasSteppedDown || nowNanos - steppedDownNanos >= PAUSE_NANOS);
    if (isDue) {
      hasSteppedDown = true;
      steppedDownNanos = nowNanos;
    }
    return isDue;
  }

  /** Whether this replica leads, and has committed nothing for 10 s although entries wait. */
  public boolean isStalled() {
    return isStalled;
  }
}
