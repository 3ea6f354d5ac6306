package io.quorate.server.verification.nemesis;

/** What has to be there when a cluster is started so that a fault can be injected into it. */
public enum Need {
  /** A disk for each node. */
  DISKS,
  /** A wall clock for each node. */
  CLOCKS,
  /** Logs so short that a node which was away for seconds needs a snapshot. */
  SHORT_LOGS
}
