package io.quorate.consensus.quorum;

import io.quorate.consensus.ConsensusException;
import java.time.Duration;

/**
 * Admission control for the quorum reads of a group: bounds their number and the size of their keys
 * by {@link QuorumBounds}. Thread-safe; does not block.
 */
public final class ReadBudget {
  private static final Duration RETRY_AFTER = Duration.ofMillis(20);

  private final QuorumBounds bounds;
  private int reads;
  private long bytes;

  public ReadBudget(QuorumBounds bounds) {
    this.bounds = bounds;
  }

  /**
   * Admits a read if there is capacity. The caller must {@linkplain #release release} each admitted
   * read once, with the same size.
   *
   * @param size the size of the read's keys in bytes
   * @return whether the read is admitted
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

  /** The number of admitted reads. */
  public synchronized int reads() {
    return reads;
  }

  /** The failure of a read that was not admitted. */
  public ConsensusException overloaded() {
    return new ConsensusException.Overloaded(
        "Too many quorum reads are pending (%s.quorum-reads-max, %s.quorum-reads-size-max)."
            .formatted(bounds.section(), bounds.section()),
        RETRY_AFTER);
  }
}
