package io.quorate.server.config;

import io.quorate.model.Key;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * The section {@code placement} of the configuration.
 *
 * @param changesMax the most regions whose replicas change at the same time
 * @param transfersMax the most leaderships that are transferred at the same time, not counting
 *     those away from slow devices
 * @param withdrawAfter for how long the node of a new replica may not respond before the change is
 *     taken back
 * @param splits which regions split without a request of an operator, and where
 * @param device how fast the device of this node is, and what it is to hold
 */
public record PlacementConfig(
    Policy policy,
    int changesMax,
    int transfersMax,
    Duration withdrawAfter,
    SplitRule splits,
    DeviceConfig device) {

  /**
   * When and where regions split by themselves.
   *
   * @param sizeMax the size in bytes from which a region is split where placement needs the pieces;
   *     0 for never
   * @param rateMax the rate in requests a second from which a region is split; 0 for never
   * @param prefixEnd what ends the prefix of a key; keys with the same prefix stay in one region.
   *     Empty if keys have no prefix
   */
  public record SplitRule(long sizeMax, int rateMax, Key prefixEnd) {
    public static final SplitRule NEVER = new SplitRule(0, 0, Key.EMPTY);

    /** Whether a region with rows of so many bytes may be split by its size. */
    public boolean isLarge(long bytes) {
      return sizeMax > 0 && bytes >= sizeMax;
    }

    /** Whether a region that receives so many requests a second is to be split. */
    public boolean isBusy(double rate) {
      return rateMax > 0 && rate >= rateMax;
    }
  }

  /**
   * The device with the data of this node.
   *
   * @param capacityBytes the most bytes of rows that the node is to hold; empty for what fits
   * @param speed the rate in bytes a second at which it stores rows; empty if it is to be measured
   * @param probeTime for how long it is measured when the node starts; zero for not at all
   * @param calibration the measured points of the curve from the device's speed to that of the
   *     storage engine; empty for the built-in ones
   * @param slowSync the median time of an fsync from which a device may count as slow
   * @param recovery for how long a device that was slow has to be well
   */
  public record DeviceConfig(
      Optional<Long> capacityBytes,
      Optional<Long> speed,
      Duration probeTime,
      Optional<Path> calibration,
      Duration slowSync,
      Duration recovery) {}

  /** What moves without a request of an operator. */
  public enum Policy {
    /** Replicas and leaders are distributed evenly, by their number. */
    ED,
    /** Replicas as by {@code ED}; the fastest replica of a region leads. */
    LMO,
    /** Replicas in proportion to the speed of devices; the fastest replica of a region leads. */
    ALOR,
    /** Only what leaves a node that is draining, and what is missing. */
    NONE;

    /** Whether the speed of devices matters. */
    public boolean considersDevices() {
      return this == LMO || this == ALOR;
    }
  }

  /** Whether the requests of regions are counted: for splits, or to move cold regions first. */
  public boolean countsRequests() {
    return splits.rateMax() > 0 || policy == Policy.ALOR;
  }
}
