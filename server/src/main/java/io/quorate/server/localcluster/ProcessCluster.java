package io.quorate.server.localcluster;

import io.quorate.common.LoopbackPorts;
import io.quorate.common.ShutdownHook;
import io.quorate.model.NodeId;
import io.quorate.server.localcluster.ServerJvm.Lifetime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * A cluster on this machine with one process per node. Nodes stop with this process, also if it is
 * killed, unless the cluster was started {@link #detached}.
 *
 * <p>Used by one thread at a time, except that any thread may call {@link #close}.
 */
public final class ProcessCluster implements AutoCloseable {
  /** Time for a graceful stop, after which a node is killed. */
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(20);

  private enum AtClose {
    KEEP_DIRECTORY,
    DELETE_DIRECTORY
  }

  private final ClusterPlan plan;
  private final AtClose atClose;
  private final List<NodeProcess> nodes;

  /** Closes the cluster if the JVM ends first, where the nodes are not to outlive it. */
  private final ShutdownHook closeWithJvm = new ShutdownHook("cluster-close", this::close);

  private volatile boolean closed;

  private ProcessCluster(
      ClusterPlan plan, Lifetime lifetime, Function<NodePlan, Launch> launch, AtClose atClose) {
    this.plan = plan;
    this.atClose = atClose;
    this.nodes =
        plan.nodes().stream()
            .map(node -> new NodeProcess(node, lifetime, launch.apply(node)))
            .toList();
    if (lifetime == Lifetime.OF_PARENT) {
      closeWithJvm.register();
    }
  }

  /**
   * Creates a cluster in the plan's directory, with the data that exists there; starts no process.
   *
   * @throws ClusterException if the cluster already runs or a port is in use
   */
  public static ProcessCluster of(ClusterPlan plan) throws IOException {
    return of(plan, node -> Launch.PLAIN);
  }

  /** Like {@link #of(ClusterPlan)}, with additions for the process of each node. */
  public static ProcessCluster of(ClusterPlan plan, Function<NodePlan, Launch> launch)
      throws IOException {
    prepare(plan);
    return new ProcessCluster(plan, Lifetime.OF_PARENT, launch, AtClose.KEEP_DIRECTORY);
  }

  /**
   * Like {@link #of(ClusterPlan, Function)}, but the nodes outlive this process; {@link #stop}
   * stops them.
   */
  static ProcessCluster detached(ClusterPlan plan, Launch launch) throws IOException {
    prepare(plan);
    return new ProcessCluster(plan, Lifetime.DETACHED, node -> launch, AtClose.KEEP_DIRECTORY);
  }

  /**
   * Creates a cluster on free ports in a new directory below {@code parent}, which {@link #close}
   * deletes.
   */
  public static ProcessCluster temporary(Path parent, ClusterPlan.Shape shape) throws IOException {
    return temporary(parent, shape, UnaryOperator.identity(), Launch.PLAIN);
  }

  /**
   * Like {@link #temporary(Path, ClusterPlan.Shape)}, with a change of the plan before its use,
   * such as other hosts, and with additions for the process of every node.
   */
  public static ProcessCluster temporary(
      Path parent, ClusterPlan.Shape shape, UnaryOperator<ClusterPlan> change, Launch launch)
      throws IOException {
    return temporary(parent, shape, change, (NodePlan node) -> launch);
  }

  /** Like the method above, with different additions for each node. */
  public static ProcessCluster temporary(
      Path parent,
      ClusterPlan.Shape shape,
      UnaryOperator<ClusterPlan> change,
      Function<NodePlan, Launch> launch)
      throws IOException {
    Path directory = Files.createTempDirectory(parent, "quorate-");
    ClusterPlan plan;
    try {
      plan = change.apply(ClusterPlan.of(directory, "temporary", shape, new Ports.Free()));
      prepare(plan);
    } catch (IOException | RuntimeException e) {
      FileTree.delete(directory);
      throw e;
    }
    return new ProcessCluster(plan, Lifetime.OF_PARENT, launch, AtClose.DELETE_DIRECTORY);
  }

  private static void prepare(ClusterPlan plan) throws IOException {
    requireNotRunning(plan);
    requirePortsFree(plan);
    plan.writeConfigurations();
  }

  /**
   * @throws ClusterException if a process runs in the plan's directory
   */
  static void requireNotRunning(ClusterPlan plan) throws IOException {
    for (NodePlan node : plan.nodes()) {
      if (ProcessFile.read(node.processFile()).isPresent()) {
        throw new ClusterException(
            "A cluster runs in "
                + plan.directory()
                + " already; start a node of it with \"quorate dev start NODE\", end it with"
                + " \"quorate dev stop --data "
                + plan.directory()
                + "\", or choose another directory with --data.");
      }
    }
  }

  /**
   * @throws ClusterException if a port of the plan is in use
   */
  static void requirePortsFree(ClusterPlan plan) {
    for (NodePlan node : plan.nodes()) {
      for (int port : node.ports()) {
        if (!LoopbackPorts.isFree(port)) {
          throw new ClusterException(
              "Port "
                  + port
                  + " on "
                  + ClusterPlan.HOST
                  + " is in use; end the program that uses it or choose other ports with"
                  + " --port-base.");
        }
      }
    }
  }

  public ClusterPlan plan() {
    return plan;
  }

  /** In the order of the plan. */
  public List<NodeProcess> nodes() {
    return nodes;
  }

  /**
   * @throws IllegalArgumentException if the plan has no such node
   */
  public NodeProcess node(NodeId id) {
    return nodes.stream()
        .filter(node -> node.plan().id().equals(id))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("There is no node " + id + "."));
  }

  /** Whether the nodes are being stopped or have been stopped. */
  public boolean isClosed() {
    return closed;
  }

  /** Starts every node that does not run. Does not wait until they serve. */
  public void start() throws IOException {
    for (NodeProcess node : nodes) {
      node.start();
    }
  }

  /**
   * Blocks until every started node responds and every region serves a linearizable read.
   *
   * @throws ClusterException.NotServing if that takes longer than {@code timeout}, or a started
   *     node ends before; the message contains the last line of its log
   */
  public void awaitServing(Duration timeout) {
    List<NodeProcess> started = nodes.stream().filter(NodeProcess::isStarted).toList();
    try (ServingProbe probe = new ServingProbe(plan, timeout)) {
      List<CompletableFuture<?>> events = new ArrayList<>();
      events.add(
          probe
              .whenEveryRegionServes(
                  started.stream().map(node -> node.plan().id()).collect(Collectors.toSet()))
              .thenCompose(
                  serves ->
                      plan.isSecure()
                          ? probe.letIn(ClusterPlan.USER)
                          : CompletableFuture.completedFuture(null))
              .orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS));
      for (NodeProcess node : started) {
        events.add(node.onExit().thenAccept(ProcessCluster::failOnExit));
      }
      CompletableFuture.anyOf(events.toArray(CompletableFuture[]::new)).join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof ClusterException known) {
        throw known;
      }
      String reason =
          e.getCause() instanceof TimeoutException ? "" : ": " + e.getCause().getMessage();
      throw new ClusterException.NotServing(
          String.format(
              Locale.ROOT,
              "The cluster did not serve within %d s; the logs are in %s%s",
              timeout.toSeconds(),
              plan.directory(),
              reason),
          e);
    }
  }

  private static void failOnExit(NodeProcess node) {
    throw new ClusterException.NotServing(
        "Node " + node.plan().id() + " ended before it served: " + lastWords(node));
  }

  /**
   * Verifies that no node has ended by itself, or been killed by another process.
   *
   * @throws ClusterException if one has; the message contains the last line of its log
   */
  public void requireAlive() {
    for (NodeProcess node : nodes) {
      if (node.isStarted() && !node.isAlive()) {
        throw new ClusterException(
            "Node " + node.plan().id() + " ended unexpectedly: " + lastWords(node));
      }
    }
  }

  private static String lastWords(NodeProcess node) {
    return node.lastSentence() + " (log: " + node.plan().logFile() + ")";
  }

  /** Stops all nodes gracefully and concurrently. Blocks until they have ended. */
  public void stop() throws InterruptedException {
    nodes.forEach(NodeProcess::terminate);
    for (NodeProcess node : nodes) {
      node.awaitExit(STOP_TIMEOUT);
    }
  }

  /**
   * Stops every node that this or another process has started in the plan's directory. Blocks until
   * they have ended.
   *
   * @return number of nodes that ran
   */
  public static int stop(ClusterPlan plan) throws IOException {
    List<LocalNode> running = new ArrayList<>();
    for (LocalNode node : local(plan)) {
      if (node.process().isPresent()) {
        running.add(node);
        node.terminate();
      }
    }
    long deadline = System.nanoTime() + STOP_TIMEOUT.toNanos();
    for (LocalNode node : running) {
      node.awaitExit(Math.max(0, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
    }
    return running.size();
  }

  /** In the order of the plan. */
  static List<LocalNode> local(ClusterPlan plan) {
    return plan.nodes().stream().map(LocalNode::new).toList();
  }

  /** Stops every node, and deletes the directory of a temporary cluster. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      stop();
      // Stops nodes that another process has restarted since.
      stop(plan);
    } catch (InterruptedException e) {
      nodes.forEach(NodeProcess::kill);
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (atClose == AtClose.DELETE_DIRECTORY) {
      try {
        FileTree.delete(plan.directory());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    closeWithJvm.close();
  }
}
