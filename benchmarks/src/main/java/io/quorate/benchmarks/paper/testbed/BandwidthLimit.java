package io.quorate.benchmarks.paper.testbed;

/** What limits the bandwidth of nodes. */
public enum BandwidthLimit {
  /** The network of the operating system, at no cost of processor time. */
  SYSTEM,

  /** Relays in the process that measures, which need processor time for each byte. */
  RELAYS
}
