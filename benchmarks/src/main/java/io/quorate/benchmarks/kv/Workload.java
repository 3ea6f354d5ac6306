package io.quorate.benchmarks.kv;

import java.util.Locale;

/**
 * One load.
 *
 * @param operations what the clients do
 * @param clients how many there are; each has one call in flight
 * @param valueBytes length of the values
 * @param readRatio the share of calls that read, from 0 to 1
 */
public record Workload(Operations operations, int clients, int valueBytes, double readRatio) {
  /** For people, and for the column of a report. */
  public String name() {
    String what =
        operations == Operations.MIXED
            ? String.format(Locale.ROOT, "mixed (%.0f %% get)", readRatio * 100)
            : operations.toString();
    return what + ", " + clients + (clients == 1 ? " client, " : " clients, ") + valueBytes + " B";
  }
}
