package io.quorate.server.localcluster;

import io.quorate.consensus.ConsensusEngineProvider;
import io.quorate.server.config.ClusterId;
import io.quorate.server.config.ServerConfig;
import io.quorate.server.config.ServerConfigParser;
import io.quorate.server.localcluster.ClusterPlan.Shape;
import io.quorate.server.node.Engines;
import io.quorate.server.node.QuorateNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The nodes of a cluster that runs in this JVM, on free ports and in a temporary directory,
 * numbered from 0. Used by one thread at a time, except that any thread may begin and end faults.
 */
public final class EmbeddedNodes implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedNodes.class);
  private static final Duration SERVING_TIMEOUT = Duration.ofSeconds(60);

  /**
   * The data is small and temporary, and the last nodes to stop have no target for a leadership
   * transfer.
   */
  private static final Map<String, String> OVERRIDES =
      Map.of("storage.free-space-min", "0B", "shutdown.transfer-timeout", "1s");

  private final ClusterPlan plan;
  private final SortedMap<Integer, QuorateNode> running = new TreeMap<>();

  private final Object faults = new Object();
  private boolean isClosed;

  private EmbeddedNodes(ClusterPlan plan) {
    this.plan = plan;
  }

  /**
   * Starts the nodes of a new cluster and waits until it serves. Blocks.
   *
   * @throws ClusterException if that fails; all nodes are stopped and all files deleted then
   */
  public static EmbeddedNodes serving(Shape shape) {
    try {
      return servingIn(Files.createTempDirectory("quorate-"), shape);
    } catch (IOException e) {
      throw new ClusterException("The files of an embedded cluster cannot be written.", e);
    }
  }

  /**
   * Like {@link #serving}, but in an empty directory that is deleted with the cluster.
   *
   * @throws IOException if its files cannot be written
   */
  static EmbeddedNodes servingIn(Path directory, Shape shape) throws IOException {
    try {
      // The name of the directory is unique, so it distinguishes this cluster from all others.
      String clusterId = directory.getFileName().toString();
      ClusterPlan plan = ClusterPlan.of(directory, clusterId, shape, new Ports.Free());
      plan.writeConfigurations();
      return started(new EmbeddedNodes(plan));
    } catch (IOException | RuntimeException e) {
      FileTree.delete(directory);
      throw e;
    }
  }

  private static EmbeddedNodes started(EmbeddedNodes cluster) {
    try {
      for (int i = 0; i < cluster.size(); i++) {
        cluster.start(i);
      }
      cluster.awaitServing();
      return cluster;
    } catch (RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  /** Returns the number of nodes, running or not. */
  public int size() {
    return plan.nodes().size();
  }

  /** Returns the client addresses of the nodes, as {@code host:port,host:port}. */
  public String addresses() {
    return plan.clientAddresses();
  }

  /**
   * Starts a stopped node; does not wait until it serves requests. Has no effect if the node runs.
   */
  public void start(int node) {
    running.computeIfAbsent(node, this::open);
  }

  private QuorateNode open(int number) {
    NodePlan node = plan.nodes().get(number);
    SortedMap<String, ConsensusEngineProvider> engines = Engines.available();
    ServerConfig config =
        new ServerConfigParser(engines.keySet()).parseFile(node.configFile(), OVERRIDES);
    return QuorateNode.start(
        config,
        engines.get(config.mode().engine()),
        failure ->
            LOG.atError()
                .addKeyValue("node", node.id())
                .setCause(failure)
                .log("An embedded node has failed permanently"));
  }

  /** Stops a node in an orderly way. Blocks. Has no effect if the node does not run. */
  public void stop(int node) {
    QuorateNode stopping = running.remove(node);
    if (stopping != null) {
      stopping.close();
    }
  }

  /**
   * Loses the responses of a node to clients until {@link #heal}.
   *
   * @throws IllegalStateException if the cluster is closed, since its ports may be others' then
   */
  public void dropResponses(int node) {
    begin(() -> EmbeddedFaults.dropResponses(plan.nodes().get(node)));
  }

  /**
   * Loses all that a node and the others send to each other until {@link #heal}.
   *
   * @throws IllegalStateException if the cluster is closed
   */
  public void isolate(int node) {
    begin(() -> EmbeddedFaults.isolate(clusterId(), plan.nodes().get(node)));
  }

  private void begin(Runnable fault) {
    synchronized (faults) {
      if (isClosed) {
        throw new IllegalStateException("The cluster is closed.");
      }
      fault.run();
    }
  }

  /** Ends what the two methods above have begun. */
  public void heal() {
    EmbeddedFaults.heal(clusterId(), plan);
  }

  private UUID clusterId() {
    return new ClusterId(plan.clusterId()).uuid();
  }

  /**
   * Stops all nodes concurrently, since none of them remains as the target of a leadership
   * transfer, and deletes the data. Blocks. A second invocation has no effect.
   */
  @Override
  public void close() {
    synchronized (faults) {
      isClosed = true;
      heal();
    }
    CompletableFuture<?>[] stopped =
        running.values().stream()
            .map(node -> CompletableFuture.runAsync(node::close, EmbeddedNodes::executeInNewThread))
            .toArray(CompletableFuture[]::new);
    running.clear();
    CompletableFuture.allOf(stopped).join();
    try {
      FileTree.delete(plan.directory());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void executeInNewThread(Runnable task) {
    new Thread(task, "quorate-embedded-stop").start();
  }

  private void awaitServing() {
    try (ServingProbe probe = new ServingProbe(plan, SERVING_TIMEOUT)) {
      probe
          .whenEveryRegionServes(
              plan.nodes().stream().map(NodePlan::id).collect(Collectors.toSet()))
          .orTimeout(SERVING_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
          .join();
    } catch (CompletionException e) {
      throw new ClusterException.NotServing(
          "The embedded cluster did not serve within " + SERVING_TIMEOUT.toSeconds() + " s.", e);
    }
  }
}
