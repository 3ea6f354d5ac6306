package io.quorate.server.topology;

/** Which regions a node can split, by the version with which it has registered. */
public enum SplitSupport {
  NONE,
  /** Regions whose values are in their rows. */
  ROWS,
  /** Every region, also those with bodies of large values. */
  BODIES;

  /** Whether a node with this support can split regions that need another one. */
  public boolean covers(SplitSupport needed) {
    return compareTo(needed) >= 0;
  }
}
