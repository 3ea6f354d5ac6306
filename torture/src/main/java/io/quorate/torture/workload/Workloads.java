package io.quorate.torture.workload;

import java.util.ArrayList;
import java.util.List;

/** All workloads. */
public final class Workloads {
  private Workloads() {}

  /**
   * Creates the workloads, with keys of their own.
   *
   * @param prefix part of all their keys; unique for each call
   */
  public static List<Workload> all(String prefix) {
    // One prefix in each third of the key space, so that three regions are written, one rarely.
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
                new LargeValues(low),
                new LargeValues(high),
                new ScansAndBatches(low),
                new ScansAndBatches(high)));
    all.addAll(WatchedKeys.writersAndReaders(quiet));
    return all;
  }
}
