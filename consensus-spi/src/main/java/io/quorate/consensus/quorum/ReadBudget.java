package io.quorate.consensus.quorum;

import io.quorate.consensus.ConsensusException;
import java.time.Duration;

/** How many reads of a group wait for replicas, in number and in bytes of keys. Thread-safe. */
public final class ReadBudget {
  private static final Duration RETRY_AFTER = Duration.ofMillis(20);

  private final QuorumBounds bounds;
  private int reads;
  private long bytes;

  public ReadBudget(QuorumBounds bounds) {
    this.bounds = bounds;
  }

  /**
   * Lets a read in, if there is room; whoever was let in has to be {@linkplain #release released}.
   */
  public synchronized boolean admit(int size) {
    if (reads >= bounds.readsMax() || reads > 0 && bytes + size > bounds.bytesMax()) {
      return false;
    }
    reads++;
    bytes += size;
    return true;
  }

  public synchronized void release(int size) {
    reads--;
    bytes -= size;
  }

  public synchronized int reads() {
    return reads;
  }

  /** What to say to a read that was not let in. */
  public ConsensusException overloaded() {
    return new ConsensusException.Overloaded(
        "Too many quorum reads have no answer (%s.quorum-reads-max, %s.quorum-reads-size-max)."
            .formatted(bounds.section(), bounds.section()),
        RETRY_AFTER);
  }
}
