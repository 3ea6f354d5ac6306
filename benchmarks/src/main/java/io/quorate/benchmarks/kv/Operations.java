package io.quorate.benchmarks.kv;

import java.util.Locale;

/** The operations of the clients. */
public enum Operations {
  PUT(0),
  GET(1),
  /** Reads and writes, by default half and half. */
  MIXED(0.5);

  private final double readRatio;

  Operations(double readRatio) {
    this.readRatio = readRatio;
  }

  /** The default fraction of reads, from 0 to 1. */
  double readRatio() {
    return readRatio;
  }

  /** The name on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
