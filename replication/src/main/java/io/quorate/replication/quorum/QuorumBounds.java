package io.quorate.replication.quorum;

import io.quorate.common.Budget;
import io.quorate.consensus.ConsensusException;
import java.time.Duration;
import java.util.Locale;

/**
 * Timeouts and admission limits of the quorum reads of a group. Error messages name the settings
 * {@code read-timeout}, {@code quorum-reads-max} and {@code quorum-reads-size-max} of the engine's
 * section.
 *
 * @param section the prefix of the engine's settings
 * @param timeout the maximum duration of a read
 * @param hedge the time after which a round sends requests to the remaining replicas too (Q9)
 * @param patience the time after which a read falls back to the leader, in a group with a leader;
 *     has no effect beyond {@code timeout}
 * @param roundsMax the maximum number of rounds in flight; with fewer rounds, more reads share one
 * @param readsMax the maximum number of pending reads
 * @param bytesMax the maximum size of the keys of all pending reads, in bytes as encoded in a
 *     request; a single read is admitted whatever its size
 */
public record QuorumBounds(
    String section,
    Duration timeout,
    Duration hedge,
    Duration patience,
    int roundsMax,
    int readsMax,
    long bytesMax) {
  private static final Duration RETRY_AFTER = Duration.ofMillis(20);

  /**
   * Admission control with these limits and no pending read. A read acquires {@linkplain
   * Budget#tryAcquireAnySizeAlone any size alone}.
   */
  public Budget newBudget() {
    return new Budget(readsMax, bytesMax);
  }

  /** The failure of a read that was not admitted. */
  public ConsensusException overloaded() {
    return new ConsensusException.Overloaded(
        String.format(
            Locale.ROOT,
            "Too many quorum reads are pending (%s.quorum-reads-max, %s.quorum-reads-size-max).",
            section,
            section),
        RETRY_AFTER);
  }
}
