package io.quorate.server.verification.workload;

import java.util.ArrayList;
import java.util.List;

/** Every workload there is. */
public final class Workloads {
  private Workloads() {}

  /**
   * New ones with keys that no other run of them has.
   *
   * @param prefix of all their keys
   */
  public static List<Workload> all(String prefix) {
    // In each third of all keys, so that three regions are written to, one of them rarely.
    String quiet = "0-" + prefix + "-";
    String low = "a-" + prefix + "-";
    String high = "\u00e1-" + prefix + "-";
    List<Workload> all =
        new ArrayList<>(
            List.of(
                new HotKeys(low),
                new HotKeys(high),
                new ReadAfterWrite(high),
                new Counters(low),
                new ScansAndBatches(low),
                new ScansAndBatches(high)));
    all.addAll(WatchedKeys.sides(quiet));
    return all;
  }
}
