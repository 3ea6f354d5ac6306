package io.quorate.server.verification.torture;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.ClientOptions;
import io.quorate.server.localcluster.ClusterPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Clients as an application would have them, several for each region, which write one key after
 * each other's answer: what they see is whether the region goes on.
 */
final class Pulse implements AutoCloseable {
  private static final int WRITERS_A_REGION = 3;
  private static final long PAUSE_MILLIS = 10;

  private final List<AsyncQuorateClient> clients = new ArrayList<>();
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final RegionProgress progress;
  private volatile boolean closed;

  /**
   * @param keys one of every region
   */
  Pulse(ClusterPlan plan, Map<Integer, byte[]> keys) {
    progress = new RegionProgress(keys.keySet(), System::nanoTime);
    keys.forEach(
        (region, key) -> {
          for (int i = 0; i < WRITERS_A_REGION; i++) {
            AsyncQuorateClient client =
                AsyncQuorateClient.open(
                    ClientOptions.builder(plan.clientAddresses())
                        .clusterId(plan.clusterId())
                        .clientName("pulse-" + region + "-" + i)
                        .build());
            clients.add(client);
            write(client, region, key);
          }
        });
  }

  RegionProgress progress() {
    return progress;
  }

  private void write(AsyncQuorateClient client, int region, byte[] key) {
    if (closed) {
      return;
    }
    client
        .put(key, key)
        .whenComplete(
            (done, failure) -> {
              if (failure == null) {
                progress.succeeded(region);
              }
              if (!closed) {
                timer.schedule(
                    () -> write(client, region, key), PAUSE_MILLIS, TimeUnit.MILLISECONDS);
              }
            });
  }

  @Override
  public void close() {
    closed = true;
    timer.shutdownNow();
    clients.forEach(AsyncQuorateClient::close);
  }
}
