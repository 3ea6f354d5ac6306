package io.quorate.server.node;

import io.quorate.client.wire.v1.Topology;
import io.quorate.server.rpc.ServingState;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.RegionTable;
import io.quorate.server.topology.TopologyMessages;
import io.quorate.server.topology.TopologySource;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The part of a node's start that may wait for other nodes: obtains the cluster topology, opens the
 * node's replicas, then starts to serve clients. Runs on a thread of its own.
 */
final class NodeStartup implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NodeStartup.class);
  private static final long PAUSE_MILLIS = 100;

  private final ClusterTopology topology;
  private final ReplicaManager replicas;
  private final ServingState servingState;
  private final RegionTable expected;
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final CompletableFuture<Void> joined = new CompletableFuture<>();
  private Thread thread;

  /**
   * @param expected the regions that this node's configuration implies
   */
  NodeStartup(
      ClusterTopology topology,
      ReplicaManager replicas,
      ServingState servingState,
      RegionTable expected) {
    this.topology = topology;
    this.replicas = replicas;
    this.servingState = servingState;
    this.expected = expected;
  }

  /**
   * Starts the thread.
   *
   * @return completes when the node serves; fails if it cannot, in which case it must stop
   */
  CompletableFuture<Void> start(TopologySource source) {
    thread = new Thread(() -> run(source), "quorate-join");
    thread.setDaemon(true);
    thread.start();
    return joined;
  }

  /** Cancels the start if it has not finished; blocks until the thread has ended. */
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

  private void run(TopologySource source) {
    try {
      join(source);
    } catch (InterruptedException e) {
      joined.cancel(false);
    } catch (IOException | RuntimeException | Error e) {
      joined.completeExceptionally(e);
    }
  }

  private void join(TopologySource source) throws InterruptedException, IOException {
    Optional<Topology> found = source.look();
    while (found.isEmpty()) {
      if (stopped.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS)) {
        throw new InterruptedException();
      }
      found = source.look();
    }
    RegionTable table = TopologyMessages.table(found.get());
    if (!shape(table).equals(shape(expected))) {
      LOG.atWarn()
          .addKeyValue("stored", table.regions().size())
          .addKeyValue("configured", expected.regions().size())
          .log(
              "The configuration describes other regions than the cluster was started with;"
                  + " the stored ones hold, and cluster.regions, cluster.split-keys and"
                  + " cluster.replicas have no effect");
    }
    topology.learn(table, TopologyMessages.nodes(found.get()));
    replicas.follow(table);
    servingState.serve();
    joined.complete(null);
  }

  /** What the configuration determines at the first start; replicas may have moved since. */
  private static List<?> shape(RegionTable table) {
    return table.regions().stream()
        .map(region -> Map.entry(region.range(), region.replicas().size()))
        .toList();
  }
}
