package io.quorate.benchmarks.kv;

import java.util.Locale;

/** What clients do. */
public enum Operations {
  PUT(0),
  GET(1),
  /** Reads and writes, by default half and half. */
  MIXED(0.5);

  private final double readRatio;

  Operations(double readRatio) {
    this.readRatio = readRatio;
  }

  /** The share of reads where nobody says otherwise, from 0 to 1. */
  double readRatio() {
    return readRatio;
  }

  /** As the command line writes it. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
