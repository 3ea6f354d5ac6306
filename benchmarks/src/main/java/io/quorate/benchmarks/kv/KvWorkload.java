package io.quorate.benchmarks.kv;

import java.util.Locale;

/**
 * The load of the clients.
 *
 * @param what description of the calls
 * @param mix distribution of the calls
 * @param choice distribution of the keys
 * @param clients number of clients, each with one call in flight; in an open loop the maximum
 *     number of calls in flight
 * @param valueBytes length of the values
 */
public record KvWorkload(String what, Mix mix, KeyChoice choice, int clients, int valueBytes) {
  /** Maximum number of rows of a scan; each number from 1 is equally likely, as in YCSB. */
  public static final int SCAN_ROWS_MAX = 100;

  /** Creates a workload of gets and puts with uniformly chosen keys. */
  KvWorkload(Operations operations, int clients, int valueBytes, double readRatio) {
    this(
        operations == Operations.MIXED
            ? String.format(Locale.ROOT, "mixed (%.0f %% get)", readRatio * 100)
            : operations.toString(),
        Mix.of(CallKind.GET, readRatio, CallKind.PUT),
        KeyChoice.UNIFORM,
        clients,
        valueBytes);
  }

  /** The name in tables and in the column of a report. */
  public String name() {
    return what + ", " + clients + (clients == 1 ? " client, " : " clients, ") + valueBytes + " B";
  }
}
