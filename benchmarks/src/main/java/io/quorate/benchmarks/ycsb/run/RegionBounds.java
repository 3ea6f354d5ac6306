package io.quorate.benchmarks.ycsb.run;

import io.quorate.benchmarks.ycsb.RecordKeys;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import site.ycsb.Client;
import site.ycsb.Utils;
import site.ycsb.workloads.CoreWorkload;

/**
 * Boundaries of regions that have equally many records of a workload. All keys of a table begin
 * with the same bytes, so that a cluster that divides the space of all keys evenly would have all
 * records in one region.
 */
final class RegionBounds {
  private static final String KEY_PREFIX = "user";
  private static final int SAMPLE_MAX = 10_000;

  private RegionBounds() {}

  /**
   * Returns the value of {@code cluster.split-keys}; empty if no boundaries are needed or there are
   * fewer records than regions.
   *
   * @param workload with a valid number of records
   */
  static Optional<String> splitKeys(WorkloadFile workload, int regions) {
    long records = Long.parseLong(workload.property(Client.RECORD_COUNT_PROPERTY).orElse("0"));
    int sample = (int) Math.min(records, SAMPLE_MAX);
    if (regions < 2 || sample < regions) {
      return Optional.empty();
    }
    String table =
        workload
            .property(CoreWorkload.TABLENAME_PROPERTY)
            .orElse(CoreWorkload.TABLENAME_PROPERTY_DEFAULT);
    List<String> keys =
        LongStream.range(0, sample)
            .mapToObj(i -> key(workload, i * records / sample))
            .sorted()
            .toList();
    return Optional.of(
        IntStream.range(1, regions)
            .mapToObj(i -> keys.get((int) ((long) i * sample / regions)))
            .map(key -> HexFormat.of().formatHex(RecordKeys.key(table, key)))
            .collect(Collectors.joining("\", \"0x", "[\"0x", "\"]")));
  }

  /** The key that the core workload gives to the record with this number. */
  private static String key(WorkloadFile workload, long number) {
    boolean isHashed =
        workload
            .property(CoreWorkload.INSERT_ORDER_PROPERTY)
            .orElse(CoreWorkload.INSERT_ORDER_PROPERTY_DEFAULT)
            .equals(CoreWorkload.INSERT_ORDER_PROPERTY_DEFAULT);
    String digits = Long.toString(isHashed ? Utils.hash(number) : number);
    return KEY_PREFIX + "0".repeat(Math.max(0, padding(workload) - digits.length())) + digits;
  }

  private static int padding(WorkloadFile workload) {
    try {
      return workload.property(CoreWorkload.ZERO_PADDING_PROPERTY).map(Integer::parseInt).orElse(0);
    } catch (NumberFormatException e) {
      // YCSB rejects the workload.
      return 0;
    }
  }
}
