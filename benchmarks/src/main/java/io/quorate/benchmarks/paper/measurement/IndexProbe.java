package io.quorate.benchmarks.paper.measurement;

import io.quorate.benchmarks.kv.ClientPool;
import io.quorate.benchmarks.paper.result.Metric;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Samples the status of the nodes at an interval that costs them little: a status is a small
 * message, whereas their metrics are a large page.
 */
final class IndexProbe implements Probe {
  private static final Duration INTERVAL = Duration.ofMillis(40);

  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "index-watch");
            thread.setDaemon(true);
            return thread;
          });
  private final ClientPool clients;

  /** In the order of the responses; guarded by itself. */
  private final List<IndexSample> samples = new ArrayList<>();

  private IndexProbe(ClientPool clients) {
    this.clients = clients;
  }

  static IndexProbe open(ClientPool clients) {
    IndexProbe probe = new IndexProbe(clients);
    probe.timer.scheduleAtFixedRate(probe::sample, 0, INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
    return probe;
  }

  private void sample() {
    clients
        .status()
        .thenAccept(
            status -> {
              synchronized (samples) {
                IndexSample.of(status, System.nanoTime()).ifPresent(samples::add);
              }
            });
  }

  @Override
  public Map<Metric, Double> end(long commands) {
    timer.shutdown();
    synchronized (samples) {
      return IndexFigures.of(samples);
    }
  }

  @Override
  public void close() {
    timer.shutdown();
  }
}
