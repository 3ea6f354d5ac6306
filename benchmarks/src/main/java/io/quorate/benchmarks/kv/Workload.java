package io.quorate.benchmarks.kv;

import java.util.Locale;

/**
 * One load.
 *
 * @param what the clients do, in words
 * @param mix of their calls
 * @param choice of the keys
 * @param clients how many there are; each has one call in flight
 * @param valueBytes length of the values
 */
public record Workload(String what, Mix mix, KeyChoice choice, int clients, int valueBytes) {
  /** The most rows of one scan, which has from 1 to so many, all equally likely: as YCSB has it. */
  public static final int SCAN_ROWS_MOST = 100;

  /** Gets and puts of any keys. */
  Workload(Operations operations, int clients, int valueBytes, double readRatio) {
    this(
        operations == Operations.MIXED
            ? String.format(Locale.ROOT, "mixed (%.0f %% get)", readRatio * 100)
            : operations.toString(),
        Mix.of(CallKind.GET, readRatio, CallKind.PUT),
        KeyChoice.UNIFORM,
        clients,
        valueBytes);
  }

  /** For people, and for the column of a report. */
  public String name() {
    return what + ", " + clients + (clients == 1 ? " client, " : " clients, ") + valueBytes + " B";
  }
}
