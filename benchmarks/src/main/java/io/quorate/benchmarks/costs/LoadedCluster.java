package io.quorate.benchmarks.costs;

import io.quorate.benchmarks.cluster.IdleDisks;
import io.quorate.benchmarks.kv.CallKind;
import io.quorate.benchmarks.kv.ClientPool;
import io.quorate.benchmarks.kv.KeyChoice;
import io.quorate.benchmarks.kv.KeySpace;
import io.quorate.benchmarks.kv.KvRun;
import io.quorate.benchmarks.kv.KvWorkload;
import io.quorate.benchmarks.kv.Mix;
import io.quorate.benchmarks.kv.Population;
import io.quorate.benchmarks.kv.WorkloadStats;
import io.quorate.server.cli.terminal.ProgressLine;
import io.quorate.server.localcluster.ProcessCluster;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** A cluster with its clients and keys, which ends and is deleted with it. Every method blocks. */
final class LoadedCluster implements AutoCloseable {
  static final int FILL_CLIENTS = 256;

  private static final int KEYS = 10_000;

  /** Of the keys of a space of their own, which the fill has. */
  private static final int FILL_KEY_BYTES = 20;

  private static final int VALUE_BYTES = 1 << 10;

  private final ProcessCluster cluster;
  private final ClientPool clients;
  private final ProgressLine progress;
  private final KvRun run;

  /**
   * @param cluster is serving, and closed also if this fails
   */
  LoadedCluster(ProcessCluster cluster, ProgressLine progress) {
    this.cluster = cluster;
    this.progress = progress;
    try {
      clients = ClientPool.to(cluster.plan());
    } catch (RuntimeException e) {
      cluster.close();
      throw e;
    }
    run =
        new KvRun(clients.calls(), new Population(new KeySpace(KEYS)), progress, System::nanoTime);
  }

  /** The loads whose calls are measured. */
  static List<KvWorkload> loads() {
    return Stream.of(CallKind.PUT, CallKind.GET)
        .flatMap(
            kind -> Stream.of(1, 64, 256).map(count -> load(kind.toString(), Mix.of(kind), count)))
        .toList();
  }

  private static KvWorkload load(String what, Mix mix, int clients) {
    return new KvWorkload(what, mix, KeyChoice.UNIFORM, clients, VALUE_BYTES);
  }

  /** Writes the keys, then reads and writes them for this time. */
  void warmUp(Duration duration) throws IOException, InterruptedException {
    run.preload(VALUE_BYTES);
    Mix half = Mix.of(CallKind.GET, 0.5, CallKind.PUT);
    run.warmUp("warming up: ", load("mixed", half, 64), duration);
  }

  /**
   * Measures calls, sent for this time.
   *
   * @param label precedes the state in the progress line
   */
  LoadCosts measure(String label, KvWorkload load, Duration duration)
      throws IOException, InterruptedException {
    return measure(() -> run.runSlice(label + "measuring: ", load, 0, duration.toNanos()), 0);
  }

  /** Writes new keys, until the disks are idle. */
  LoadCosts fill(int mebibytes) throws IOException, InterruptedException {
    Population keys = new Population(new KeySpace(1, mebibytes << 10));
    KvRun fill = new KvRun(clients.calls(), keys, progress, System::nanoTime);
    return measure(
        () -> fill.load("", VALUE_BYTES, FILL_CLIENTS).stats(), FILL_KEY_BYTES + VALUE_BYTES);
  }

  /** The calls whose costs are measured. */
  private interface Calls {
    WorkloadStats run() throws IOException, InterruptedException;
  }

  /**
   * Measures calls, and what the nodes do after their responses.
   *
   * @param bytesPerCall bytes of the key and value of a call; 0 for no figure of writes
   */
  private LoadCosts measure(Calls calls, long bytesPerCall)
      throws IOException, InterruptedException {
    IdleDisks.await(cluster.nodes());
    NodeCounters before = NodeCounters.of(cluster);
    WorkloadStats stats = calls.run();
    if (bytesPerCall > 0) {
      IdleDisks.await(cluster.nodes());
    }
    long count = stats.all().count();
    return new LoadCosts(
        stats.throughput(),
        CallCosts.of(
            before, NodeCounters.of(cluster), count, count * bytesPerCall, cluster.nodes().size()));
  }

  @Override
  public void close() {
    clients.close();
    cluster.close();
  }
}
