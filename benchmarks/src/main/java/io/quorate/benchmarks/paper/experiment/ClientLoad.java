package io.quorate.benchmarks.paper.experiment;

import io.quorate.benchmarks.kv.CallKind;
import io.quorate.benchmarks.kv.KeyChoice;
import io.quorate.benchmarks.kv.KeySpace;
import io.quorate.benchmarks.kv.KvWorkload;
import io.quorate.benchmarks.kv.Mix;
import java.util.Locale;

/**
 * The load of closed-loop clients.
 *
 * @param what description of the calls
 * @param mix distribution of the calls
 * @param choice distribution of the calls over the existing keys
 * @param clients number of clients, each with one call in flight
 * @param keys the initial keys
 * @param valueBytes length of the values
 */
public record ClientLoad(
    String what, Mix mix, KeyChoice choice, int clients, KeySpace keys, int valueBytes) {

  /** Creates a load of gets and puts with uniformly chosen keys. */
  public ClientLoad(int clients, double readRatio, int keys, int valueBytes) {
    this(
        String.format(Locale.ROOT, "%.0f %% reads", readRatio * 100),
        Mix.of(CallKind.GET, readRatio, CallKind.PUT),
        KeyChoice.UNIFORM,
        clients,
        new KeySpace(keys),
        valueBytes);
  }

  /** The fraction of calls that only read, from 0 to 1. */
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

  /** The same load without its keys. */
  public KvWorkload workload() {
    return new KvWorkload(what, mix, choice, clients, valueBytes);
  }
}
