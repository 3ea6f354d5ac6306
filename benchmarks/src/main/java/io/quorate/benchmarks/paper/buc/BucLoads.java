package io.quorate.benchmarks.paper.buc;

import io.quorate.benchmarks.kv.CallKind;
import io.quorate.benchmarks.kv.KeyChoice;
import io.quorate.benchmarks.kv.KeySpace;
import io.quorate.benchmarks.kv.Mix;
import io.quorate.benchmarks.paper.experiment.ClientLoad;
import io.quorate.benchmarks.paper.experiment.Ycsb;
import java.util.Map;
import java.util.Set;

/**
 * The loads of the evaluation.
 *
 * @param keys number of initial keys, for values of 1 KiB
 */
record BucLoads(int keys) {
  private static final String YCSB_PREFIX = "YCSB ";
  private static final String W = "W";
  private static final String S = "S";

  /** The descriptions of the loads for which the paper has claims. */
  private static final Set<String> CLAIMED =
      Set.of(YCSB_PREFIX + Ycsb.LOAD, YCSB_PREFIX + Ycsb.A, W + 50, S + 50);

  private static final int FIXED_CLIENTS = 64;
  private static final int VALUE_BYTES = 1024;
  private static final double PERCENT = 100;

  /** The total size of the initial long values; there are at least {@link #KEYS_MIN} keys. */
  private static final int LONG_VALUES_BYTES = 16 << 20;

  private static final int KEYS_MIN = 16;

  /** Whether the paper has claims for this load. */
  static boolean isClaimed(ClientLoad load) {
    return CLAIMED.contains(load.what());
  }

  ClientLoad ycsb(Ycsb workload) {
    return ycsb(workload, FIXED_CLIENTS);
  }

  ClientLoad ycsb(Ycsb workload, int clients) {
    return new ClientLoad(
        YCSB_PREFIX + workload,
        workload.mix(),
        workload.choice(),
        clients,
        new KeySpace(keys),
        VALUE_BYTES);
  }

  /**
   * @param percent of puts, beside gets
   */
  ClientLoad writes(int percent) {
    return uniform(W + percent, Mix.of(CallKind.PUT, percent / PERCENT, CallKind.GET));
  }

  /**
   * @param percent of scans, beside puts
   */
  ClientLoad scans(int percent) {
    return uniform(S + percent, Mix.of(CallKind.SCAN, percent / PERCENT, CallKind.PUT));
  }

  /**
   * @param percent of deletes among the writes, which are half of the calls
   */
  ClientLoad deletes(int percent) {
    double deletes = percent / PERCENT / 2;
    Mix mix =
        switch (percent) {
          case 0 -> Mix.of(CallKind.SCAN, 0.5, CallKind.PUT);
          case 100 -> Mix.of(CallKind.SCAN, 0.5, CallKind.DELETE);
          default ->
              new Mix(
                  Map.of(
                      CallKind.SCAN, 0.5, CallKind.DELETE, deletes, CallKind.PUT, 0.5 - deletes));
        };
    return uniform("S50, " + percent + " % of writes delete", mix);
  }

  /** Puts only. */
  ClientLoad puts(int clients) {
    return new ClientLoad(
        "puts", Mix.of(CallKind.PUT), KeyChoice.UNIFORM, clients, new KeySpace(keys), VALUE_BYTES);
  }

  /** Values of another length than the default have a key space of their own. */
  ClientLoad values(int bytes) {
    int count = Math.max(KEYS_MIN, Math.min(keys, LONG_VALUES_BYTES / bytes));
    KeySpace space = new KeySpace(bytes == VALUE_BYTES ? 0 : bytes, count);
    Mix half = Mix.of(CallKind.GET, 0.5, CallKind.PUT);
    return new ClientLoad(
        "half gets, half puts", half, KeyChoice.UNIFORM, FIXED_CLIENTS, space, bytes);
  }

  private ClientLoad uniform(String what, Mix mix) {
    return new ClientLoad(
        what, mix, KeyChoice.UNIFORM, FIXED_CLIENTS, new KeySpace(keys), VALUE_BYTES);
  }
}
