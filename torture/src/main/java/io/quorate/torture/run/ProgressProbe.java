package io.quorate.torture.run;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.server.localcluster.ClusterPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Clients with default options, one or more for each region. Each writes the same key of its region
 * again and again, one write after the response to the one before, and thereby shows whether the
 * region makes progress.
 */
final class ProgressProbe implements AutoCloseable {
  /** Of all regions together, with at least one for each. */
  private static final int WRITERS = 12;

  private static final long PAUSE_MILLIS = 10;

  private final List<AsyncQuorateClient> clients = new ArrayList<>();
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final RegionProgress progress;
  private volatile boolean isClosed;

  /**
   * @param keys a key of each region, by region
   */
  ProgressProbe(ClusterPlan plan, Map<Integer, byte[]> keys) {
    progress = new RegionProgress(keys.keySet(), System::nanoTime);
    int writersPerRegion = Math.max(1, WRITERS / keys.size());
    keys.forEach(
        (region, key) -> {
          for (int i = 0; i < writersPerRegion; i++) {
            AsyncQuorateClient client =
                AsyncQuorateClient.open(
                    plan.clientOptions().clientName("probe-" + region + "-" + i).build());
            clients.add(client);
            write(client, region, key);
          }
        });
  }

  RegionProgress progress() {
    return progress;
  }

  private void write(AsyncQuorateClient client, int region, byte[] key) {
    if (isClosed) {
      return;
    }
    client
        .put(key, key)
        .whenComplete(
            (ignored, failure) -> {
              if (failure == null) {
                progress.succeeded(region);
              }
              if (!isClosed) {
                timer.schedule(
                    () -> write(client, region, key), PAUSE_MILLIS, TimeUnit.MILLISECONDS);
              }
            });
  }

  @Override
  public void close() {
    isClosed = true;
    timer.shutdownNow();
    clients.forEach(AsyncQuorateClient::close);
  }
}
