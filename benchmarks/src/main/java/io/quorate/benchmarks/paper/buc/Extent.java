package io.quorate.benchmarks.paper.buc;

import io.quorate.benchmarks.paper.Pace;
import java.time.Duration;
import java.util.List;

/**
 * How much is measured.
 *
 * @param replicas of every cluster
 * @param keys that are there from the beginning, where the values have 1 KiB
 * @param grounds one after the other
 * @param pace of every case
 */
record Extent(int replicas, int keys, List<Ground> grounds, Pace pace) {
  private static final int KIB = 1 << 10;
  private static final int MIB = 1 << 20;

  /** As much as fits into a few minutes. */
  static final Extent QUICK = new Extent(3, 4000, quickGrounds(), quickPace());

  /** What the evaluation consists of. */
  static final Extent FULL = new Extent(3, 20_000, fullGrounds(), fullPace());

  Extent {
    grounds = List.copyOf(grounds);
  }

  /**
   * What is measured with one storage.
   *
   * @param storage of all nodes
   * @param ycsb its workloads
   * @param writePercents shares of puts, beside gets
   * @param scanPercents shares of scans, beside puts
   * @param deletePercents shares of deletes among writes, which are half of the calls; scans are
   *     the other half
   * @param valueBytes lengths of values, of gets and puts
   * @param clients that load
   */
  record Ground(
      Storage storage,
      List<Ycsb> ycsb,
      List<Integer> writePercents,
      List<Integer> scanPercents,
      List<Integer> deletePercents,
      List<Integer> valueBytes,
      List<Integer> clients) {
    Ground {
      ycsb = List.copyOf(ycsb);
      writePercents = List.copyOf(writePercents);
      scanPercents = List.copyOf(scanPercents);
      deletePercents = List.copyOf(deletePercents);
      valueBytes = List.copyOf(valueBytes);
      clients = List.copyOf(clients);
    }
  }

  private static List<Ground> quickGrounds() {
    return List.of(quick(Storage.TWO_LOGS), quick(Storage.ONE_LOG), inMemory());
  }

  private static Ground quick(Storage storage) {
    return new Ground(
        storage,
        List.of(Ycsb.values()),
        List.of(90, 50, 10),
        List.of(50, 10),
        List.of(50, 100),
        List.of(16 * KIB, MIB),
        List.of(4));
  }

  private static List<Ground> fullGrounds() {
    return List.of(full(Storage.TWO_LOGS), full(Storage.ONE_LOG), inMemory());
  }

  private static Ground full(Storage storage) {
    return new Ground(
        storage,
        List.of(Ycsb.values()),
        List.of(90, 80, 70, 60, 50, 40, 30, 20, 10),
        List.of(50, 40, 30, 20, 10, 0),
        List.of(0, 20, 40, 60, 80, 100),
        List.of(KIB, 4 * KIB, 16 * KIB, 64 * KIB, 256 * KIB, MIB),
        List.of(1, 4, 16, 256));
  }

  private static Ground inMemory() {
    return new Ground(
        Storage.IN_MEMORY,
        List.of(Ycsb.LOAD, Ycsb.A),
        List.of(50),
        List.of(50),
        List.of(),
        List.of(),
        List.of());
  }

  private static Pace quickPace() {
    return new Pace(3, millis(100), millis(400), millis(2500), Duration.ofSeconds(200));
  }

  private static Pace fullPace() {
    return new Pace(4, millis(300), millis(2000), millis(5000), Duration.ofHours(3));
  }

  private static Duration millis(long millis) {
    return Duration.ofMillis(millis);
  }
}
