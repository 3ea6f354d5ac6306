package io.quorate.benchmarks.micro;

import io.quorate.client.QuorateClient;
import io.quorate.server.localcluster.ClusterPlan.Shape;
import io.quorate.server.localcluster.ProcessCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** One client of a cluster with one region. */
record ClientOfQuorate(ProcessCluster cluster, QuorateClient client) implements BenchmarkedClient {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  static ClientOfQuorate start(Path parent, String preset, int nodes) throws IOException {
    ProcessCluster cluster = ProcessCluster.temporary(parent, new Shape(nodes, 1, preset));
    try {
      cluster.start();
      cluster.awaitServing(PATIENCE);
      return new ClientOfQuorate(cluster, QuorateClient.connect(cluster.plan().clientAddresses()));
    } catch (IOException | RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  @Override
  public Object put(byte[] key, byte[] value) {
    return client.put(key, value);
  }

  @Override
  public Object get(byte[] key) {
    return client.get(key);
  }

  @Override
  public CompletableFuture<?> putAsync(byte[] key, byte[] value) {
    return client.async().put(key, value);
  }

  @Override
  public CompletableFuture<?> getAsync(byte[] key) {
    return client.async().get(key);
  }

  @Override
  public void close() {
    client.close();
    cluster.close();
  }
}
