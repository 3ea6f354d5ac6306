package io.quorate.server.topology;

import io.quorate.consensus.Capabilities;
import io.quorate.protocol.operation.Operation;
import io.quorate.server.config.ClusterMode;

/**
 * Which changes of the ranges of regions a node knows, by the version with which it has registered.
 * Each includes those before it.
 */
public enum RangeSupport {
  NONE,
  /** Splits of regions whose values are in their rows. */
  SPLITS_OF_ROWS,
  /** Splits of every region, also of those with bodies of large values. */
  SPLITS,
  /** Merges of regions whose values are in their rows. */
  MERGES;

  /** Whether a node with this support knows a change that needs another one. */
  public boolean covers(RangeSupport needed) {
    return compareTo(needed) >= 0;
  }

  /**
   * What each node of a region must support before it splits: all replicas must know the command.
   */
  public static RangeSupport neededToSplit(ClusterMode.Replication replication) {
    return replication == ClusterMode.Replication.CODED ? SPLITS : SPLITS_OF_ROWS;
  }

  /** What a node supports with an engine. */
  public static RangeSupport of(Capabilities engine) {
    return engine.largestCommandBytes() >= Operation.Absorb.COMMAND_BYTES_MAX ? MERGES : SPLITS;
  }
}
