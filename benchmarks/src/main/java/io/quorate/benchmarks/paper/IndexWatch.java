package io.quorate.benchmarks.paper;

import io.quorate.benchmarks.kv.Connections;
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
final class IndexWatch implements Probe {
  private static final Duration INTERVAL = Duration.ofMillis(40);

  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "index-watch");
            thread.setDaemon(true);
            return thread;
          });
  private final Connections connections;

  /** In the order of the responses; guarded by itself. */
  private final List<IndexSample> samples = new ArrayList<>();

  private IndexWatch(Connections connections) {
    this.connections = connections;
  }

  static IndexWatch open(Connections connections) {
    IndexWatch watch = new IndexWatch(connections);
    watch.timer.scheduleAtFixedRate(watch::sample, 0, INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
    return watch;
  }

  private void sample() {
    connections
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
