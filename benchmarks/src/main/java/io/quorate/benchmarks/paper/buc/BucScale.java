package io.quorate.benchmarks.paper.buc;

import io.quorate.benchmarks.paper.experiment.Conditions;
import io.quorate.benchmarks.paper.experiment.RunPlan;
import io.quorate.benchmarks.paper.experiment.SyncLatency;
import io.quorate.benchmarks.paper.experiment.Ycsb;
import io.quorate.torture.testbed.disk.NodeDevices;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * The parameters of the measurements.
 *
 * @param replicas number of replicas of every cluster
 * @param keys number of initial keys, for values of 1 KiB
 * @param sweeps in the order of the measurements
 * @param shares of the experiment {@link ShareExperiment#NAME}, in the order of the measurements
 * @param plan durations of every case
 */
record BucScale(int replicas, int keys, List<Sweep> sweeps, List<ShareSweep> shares, RunPlan plan) {
  private static final int KIB = 1 << 10;
  private static final int MIB = 1 << 20;

  /** So fast that fsyncs are not limited on a few cores. */
  private static final NodeDevices.Limit FAST_DEVICE = new NodeDevices.Limit(20_000, 1L << 30);

  /** An fsync is several writes; of one thread about 1,000 a second are possible. */
  private static final NodeDevices.Limit SSD = new NodeDevices.Limit(4000, 200L << 20);

  /** About 60 fsyncs a second. */
  private static final NodeDevices.Limit HARD_DISK = new NodeDevices.Limit(200, 60L << 20);

  /** A run of a few minutes. */
  static final BucScale QUICK = new BucScale(3, 4000, quickSweeps(), quickShares(), quickPlan());

  /** The full evaluation. */
  static final BucScale FULL = new BucScale(3, 20_000, fullSweeps(), fullShares(), fullPlan());

  BucScale {
    sweeps = List.copyOf(sweeps);
    shares = List.copyOf(shares);
  }

  /**
   * The parameter values with one storage.
   *
   * @param storage of all nodes
   * @param ycsb workloads of YCSB
   * @param writePercents percentages of puts, beside gets
   * @param scanPercents percentages of scans, beside puts
   * @param deletePercents percentages of deletes among writes, which are half of the calls; scans
   *     are the other half
   * @param valueBytes lengths of values, of gets and puts
   * @param clients numbers of clients of the YCSB workload Load
   */
  record Sweep(
      StorageVariant storage,
      List<Ycsb> ycsb,
      List<Integer> writePercents,
      List<Integer> scanPercents,
      List<Integer> deletePercents,
      List<Integer> valueBytes,
      List<Integer> clients) {
    Sweep {
      ycsb = List.copyOf(ycsb);
      writePercents = List.copyOf(writePercents);
      scanPercents = List.copyOf(scanPercents);
      deletePercents = List.copyOf(deletePercents);
      valueBytes = List.copyOf(valueBytes);
      clients = List.copyOf(clients);
    }
  }

  /**
   * The measurements of the share of apply with one storage.
   *
   * @param storage of all nodes
   * @param conditions of the devices
   * @param clients numbers of clients, each under all conditions
   */
  record ShareSweep(StorageVariant storage, List<Conditions> conditions, List<Integer> clients) {
    ShareSweep {
      conditions = List.copyOf(conditions);
      clients = List.copyOf(clients);
    }
  }

  private static List<ShareSweep> quickShares() {
    return List.of(
        new ShareSweep(
            StorageVariant.SYNCED,
            List.of(Conditions.syncs(ShareExperiment.TWO_LOGS_OF_ONE_MILLISECOND)),
            List.of(8)));
  }

  private static List<ShareSweep> fullShares() {
    List<Integer> clients = List.of(8, 16, 32);
    return List.of(
        new ShareSweep(
            StorageVariant.SYNCED,
            Stream.of(
                    SyncLatency.NONE,
                    SyncLatency.both(Duration.ofNanos(250_000)),
                    ShareExperiment.TWO_LOGS_OF_ONE_MILLISECOND,
                    SyncLatency.both(millis(4)),
                    SyncLatency.both(millis(16)),
                    new SyncLatency(Duration.ZERO, millis(1)))
                .map(Conditions::syncs)
                .toList(),
            clients),
        new ShareSweep(
            StorageVariant.ON_DEVICES,
            Stream.of(FAST_DEVICE, SSD, HARD_DISK).map(Conditions::device).toList(),
            clients),
        new ShareSweep(StorageVariant.ONE_LOG, List.of(Conditions.PLAIN), clients));
  }

  private static List<Sweep> quickSweeps() {
    return List.of(quick(StorageVariant.TWO_LOGS), quick(StorageVariant.ONE_LOG), inMemory());
  }

  private static Sweep quick(StorageVariant storage) {
    return new Sweep(
        storage,
        List.of(Ycsb.values()),
        List.of(90, 50, 10),
        List.of(50, 10),
        List.of(50, 100),
        List.of(16 * KIB, MIB),
        List.of(4));
  }

  private static List<Sweep> fullSweeps() {
    return List.of(full(StorageVariant.TWO_LOGS), full(StorageVariant.ONE_LOG), inMemory());
  }

  private static Sweep full(StorageVariant storage) {
    return new Sweep(
        storage,
        List.of(Ycsb.values()),
        List.of(90, 80, 70, 60, 50, 40, 30, 20, 10),
        List.of(50, 40, 30, 20, 10, 0),
        List.of(0, 20, 40, 60, 80, 100),
        List.of(KIB, 4 * KIB, 16 * KIB, 64 * KIB, 256 * KIB, MIB),
        List.of(1, 4, 16, 256));
  }

  private static Sweep inMemory() {
    return new Sweep(
        StorageVariant.IN_MEMORY,
        List.of(Ycsb.LOAD, Ycsb.A),
        List.of(50),
        List.of(50),
        List.of(),
        List.of(),
        List.of());
  }

  private static RunPlan quickPlan() {
    return RunPlan.ofMillis(3, 100, 400, 2500, Duration.ofSeconds(200));
  }

  private static RunPlan fullPlan() {
    return RunPlan.ofMillis(4, 300, 2000, 5000, Duration.ofHours(3));
  }

  private static Duration millis(long millis) {
    return Duration.ofMillis(millis);
  }
}
