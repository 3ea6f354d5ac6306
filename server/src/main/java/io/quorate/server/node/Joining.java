package io.quorate.server.node;

import io.quorate.client.wire.v1.Topology;
import io.quorate.server.cluster.ClusterMap;
import io.quorate.server.cluster.MapSource;
import io.quorate.server.cluster.TopologyMessages;
import io.quorate.server.door.ServiceGate;
import io.quorate.server.region.RegionTable;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rest of a node's start, which may have to wait for other nodes: finds the map of the cluster,
 * opens the node's replicas by it, then lets clients in. Runs on a thread of its own.
 */
final class Joining implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Joining.class);
  private static final long PAUSE_MILLIS = 100;

  private final ClusterMap map;
  private final RegionHosting hosting;
  private final ServiceGate gate;
  private final RegionTable expected;
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final CompletableFuture<Void> joined = new CompletableFuture<>();
  private Thread thread;

  /**
   * @param expected the map that this node's configuration implies
   */
  Joining(ClusterMap map, RegionHosting hosting, ServiceGate gate, RegionTable expected) {
    this.map = map;
    this.hosting = hosting;
    this.gate = gate;
    this.expected = expected;
  }

  /**
   * Starts.
   *
   * @return completes when the node serves; fails if it cannot, in which case it has to stop
   */
  CompletableFuture<Void> start(MapSource source) {
    thread = new Thread(() -> run(source), "quorate-join");
    thread.setDaemon(true);
    thread.start();
    return joined;
  }

  /** Gives up if it has not finished; blocks until the thread has ended. */
  @Override
  public void close() {
    stopped.countDown();
    if (thread == null) {
      return;
    }
    thread.interrupt();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run(MapSource source) {
    try {
      join(source);
    } catch (InterruptedException e) {
      joined.cancel(false);
    } catch (IOException | RuntimeException e) {
      joined.completeExceptionally(e);
    }
  }

  private void join(MapSource source) throws InterruptedException, IOException {
    Optional<Topology> found = source.look();
    while (found.isEmpty()) {
      if (stopped.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS)) {
        throw new InterruptedException();
      }
      found = source.look();
    }
    RegionTable table = TopologyMessages.table(found.get());
    if (!table.equals(expected)) {
      LOG.atWarn()
          .addKeyValue("stored", table.regions().size())
          .addKeyValue("configured", expected.regions().size())
          .log(
              "The configuration describes other regions than the cluster was started with;"
                  + " the stored ones hold, and cluster.regions, cluster.split-keys and"
                  + " cluster.replicas have no effect");
    }
    map.learn(table, TopologyMessages.nodes(found.get()));
    hosting.openAll(table);
    gate.serve();
    joined.complete(null);
  }
}
