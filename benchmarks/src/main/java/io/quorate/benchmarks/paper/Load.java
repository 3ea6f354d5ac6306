package io.quorate.benchmarks.paper;

import io.quorate.benchmarks.kv.CallKind;
import io.quorate.benchmarks.kv.KeyChoice;
import io.quorate.benchmarks.kv.KeySpace;
import io.quorate.benchmarks.kv.Mix;
import io.quorate.benchmarks.kv.Workload;
import java.util.Locale;

/**
 * What closed-loop clients do.
 *
 * @param what in words
 * @param mix of their calls
 * @param choice of keys among those that are there
 * @param clients how many there are; each has one call in flight
 * @param keys that are there from the beginning
 * @param valueBytes length of the values
 */
public record Load(
    String what, Mix mix, KeyChoice choice, int clients, KeySpace keys, int valueBytes) {

  /** Gets and puts, all keys equally likely. */
  public Load(int clients, double readRatio, int keys, int valueBytes) {
    this(
        String.format(Locale.ROOT, "%.0f %% reads", readRatio * 100),
        Mix.of(CallKind.GET, readRatio, CallKind.PUT),
        KeyChoice.UNIFORM,
        clients,
        new KeySpace(keys),
        valueBytes);
  }

  /** The share of calls that read and do nothing else, from 0 to 1. */
  public double readRatio() {
    return mix.share(CallKind.GET) + mix.share(CallKind.SCAN);
  }

  public String name() {
    int count = keys.count();
    return String.format(
        Locale.ROOT,
        "%s, %d %s, %d %s, %d B",
        what,
        clients,
        clients == 1 ? "client" : "clients",
        count,
        count == 1 ? "key" : "keys",
        valueBytes);
  }

  Workload workload() {
    return new Workload(what, mix, choice, clients, valueBytes);
  }
}
