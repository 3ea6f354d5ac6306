package io.quorate.benchmarks.paper.experiment;

import io.quorate.benchmarks.kv.CallKind;
import io.quorate.benchmarks.kv.KeyChoice;
import io.quorate.benchmarks.kv.KeySpace;
import io.quorate.benchmarks.kv.KvWorkload;
import io.quorate.benchmarks.kv.Mix;
import java.util.Locale;
import java.util.OptionalDouble;

/**
 * The load of clients in a closed or an open loop.
 *
 * @param what description of the calls
 * @param mix distribution of the calls
 * @param choice distribution of the calls over the existing keys
 * @param clients number of clients, each with one call in flight; in an open loop the maximum
 *     number of calls in flight
 * @param keys the initial keys
 * @param valueBytes length of the values
 * @param offered the rate of the calls in an open loop, as a part of the throughput of the first
 *     system of the case in the closed loop of the same experiment; empty in a closed loop
 */
public record ClientLoad(
    String what,
    Mix mix,
    KeyChoice choice,
    int clients,
    KeySpace keys,
    int valueBytes,
    OptionalDouble offered) {

  /** Creates a load of closed-loop clients. */
  public ClientLoad(
      String what, Mix mix, KeyChoice choice, int clients, KeySpace keys, int valueBytes) {
    this(what, mix, choice, clients, keys, valueBytes, OptionalDouble.empty());
  }

  /** Creates a load of gets and puts of closed-loop clients with uniformly chosen keys. */
  public ClientLoad(int clients, double readRatio, int keys, int valueBytes) {
    this(clients, readRatio, KeyChoice.UNIFORM, keys, valueBytes);
  }

  /** Creates a load of gets and puts of closed-loop clients. */
  public ClientLoad(int clients, double readRatio, KeyChoice choice, int keys, int valueBytes) {
    this(
        String.format(Locale.ROOT, "%.0f %% reads", readRatio * 100) + hotSpot(choice),
        Mix.of(CallKind.GET, readRatio, CallKind.PUT),
        choice,
        clients,
        new KeySpace(keys),
        valueBytes);
  }

  private static String hotSpot(KeyChoice choice) {
    return choice.hotKeys() == 0
        ? ""
        : String.format(
            Locale.ROOT, ", 80 %% of the calls to %.3g %% of the keys", choice.hotKeys() * 100);
  }

  /**
   * The same calls in an open loop.
   *
   * @param part of the throughput in the closed loop, above 0
   * @param inFlightMax maximum number of calls in flight
   */
  public ClientLoad open(double part, int inFlightMax) {
    return new ClientLoad(
        what, mix, choice, inFlightMax, keys, valueBytes, OptionalDouble.of(part));
  }

  /** The fraction of calls that only read, from 0 to 1. */
  public double readRatio() {
    return mix.share(CallKind.GET) + mix.share(CallKind.SCAN);
  }

  public String name() {
    int count = keys.count();
    return String.format(
        Locale.ROOT,
        "%s, %s, %d %s, %d B",
        what,
        offered.isPresent()
            ? String.format(Locale.ROOT, "open loop at %.2f", offered.getAsDouble())
            : clients + (clients == 1 ? " client" : " clients"),
        count,
        count == 1 ? "key" : "keys",
        valueBytes);
  }

  /** The same load without its keys and its rate. */
  public KvWorkload workload() {
    return new KvWorkload(what, mix, choice, clients, valueBytes);
  }
}
