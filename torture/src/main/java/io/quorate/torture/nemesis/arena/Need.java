package io.quorate.torture.nemesis.arena;

/** Equipment that a cluster must be started with, so that a fault can be injected into it. */
public enum Need {
  /** A disk for each node. */
  DISKS,
  /** A wall clock for each node. */
  CLOCKS,
  /** Logs so short that a node which was stopped for seconds needs a snapshot. */
  SHORT_LOGS,
  /** Plans of replicas that are taken back seconds after their receiver has ended. */
  SHORT_PLANS
}
