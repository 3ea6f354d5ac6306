package io.quorate.benchmarks.paper;

import io.quorate.benchmarks.kv.Operations;
import io.quorate.benchmarks.kv.Workload;
import java.util.Locale;

/**
 * What closed-loop clients do.
 *
 * @param clients how many there are; each has one call in flight
 * @param readRatio the share of calls that read, from 0 to 1
 * @param keys how many keys there are, all equally likely
 * @param valueBytes length of the values
 */
public record Load(int clients, double readRatio, int keys, int valueBytes) {

  public String name() {
    return String.format(
        Locale.ROOT,
        "%.0f %% reads, %d %s, %d %s, %d B",
        readRatio * 100,
        clients,
        clients == 1 ? "client" : "clients",
        keys,
        keys == 1 ? "key" : "keys",
        valueBytes);
  }

  Workload workload() {
    return new Workload(Operations.MIXED, clients, valueBytes, readRatio);
  }
}
