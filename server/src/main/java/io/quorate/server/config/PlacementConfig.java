package io.quorate.server.config;

import io.quorate.consensus.Key;
import java.time.Duration;

/**
 * The section {@code placement} of the configuration.
 *
 * @param changesMax the most regions whose replicas change at the same time
 * @param withdrawAfter for how long the node of a new replica may not respond before the change is
 *     taken back
 * @param replicasMax the most replicas of a node up to which its regions split
 * @param splits which regions split without a request of an operator, and where
 */
public record PlacementConfig(
    Policy policy, int changesMax, Duration withdrawAfter, int replicasMax, SplitRule splits) {

  /**
   * When and where regions split by themselves.
   *
   * @param sizeMax the size in bytes from which a region is split; 0 for never
   * @param rateMax the rate in requests a second from which a region is split; 0 for never
   * @param prefixEnd what ends the prefix of a key; keys with the same prefix stay in one region.
   *     Empty if keys have no prefix
   */
  public record SplitRule(long sizeMax, int rateMax, Key prefixEnd) {
    public static final SplitRule NEVER = new SplitRule(0, 0, Key.EMPTY);

    /** Whether a region with rows of so many bytes is to be split. */
    public boolean isLarge(long bytes) {
      return sizeMax > 0 && bytes >= sizeMax;
    }

    /** Whether a region that receives so many requests a second is to be split. */
    public boolean isBusy(double rate) {
      return rateMax > 0 && rate >= rateMax;
    }
  }

  /** What moves without a request of an operator. */
  public enum Policy {
    /** Replicas and leaders are distributed evenly, by their number. */
    ED,
    /** Only what leaves a node that is draining, and what is missing. */
    NONE
  }
}
