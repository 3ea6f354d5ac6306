package io.quorate.server.verification.workload;

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
    // Keys on both sides of the middle of all keys, so that two regions are written to.
    String low = "a-" + prefix + "-";
    String high = "\u00e1-" + prefix + "-";
    return List.of(
        new HotKeys(low),
        new HotKeys(high),
        new ReadAfterWrite(high),
        new Counters(low),
        new ScansAndBatches(low),
        new ScansAndBatches(high));
  }
}
