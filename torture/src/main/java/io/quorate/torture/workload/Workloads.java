package io.quorate.torture.workload;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** All workloads. */
public final class Workloads {
  private Workloads() {}

  /**
   * The prefixes of all keys: one in each third of the key space, so that three regions are
   * written, the first one rarely.
   *
   * @param prefix as that of {@link #all}
   */
  public static List<String> prefixes(String prefix) {
    return Stream.of("0-", "a-", "\u00e1-").map(third -> third + prefix + "-").toList();
  }

  /**
   * The highest key not above a key of a workload at which a region may be split: some workloads
   * require that all keys of a group are in one region.
   */
  public static String splitKey(String key) {
    boolean isTogether = key.contains(ScansAndBatches.NAME) || key.contains(LargeValues.NAME);
    return isTogether ? Keys.groupOf(key) : key;
  }

  /**
   * Creates the workloads, with keys of their own.
   *
   * @param prefix part of all their keys; unique for each call
   */
  public static List<Workload> all(String prefix) {
    List<String> prefixes = prefixes(prefix);
    String quiet = prefixes.get(0);
    String low = prefixes.get(1);
    String high = prefixes.get(2);
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
