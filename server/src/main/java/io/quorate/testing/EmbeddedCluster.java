package io.quorate.testing;

import io.quorate.client.ClientOptions;
import io.quorate.client.QuorateClient;
import io.quorate.client.UnavailableException;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.common.Nulls;
import io.quorate.common.Utf8;
import io.quorate.model.GroupId;
import io.quorate.server.localcluster.ClusterPlan.Shape;
import io.quorate.server.localcluster.EmbeddedNodes;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.LockSupport;

/**
 * A cluster in the JVM of a test. Its nodes are real ones: they replicate over TCP sockets on free
 * ports of 127.0.0.1, and write to files in a temporary directory, which {@link #close} deletes.
 *
 * <pre>{@code
 * try (EmbeddedCluster cluster = EmbeddedCluster.start(3);
 *     QuorateClient client = QuorateClient.connect(cluster.options())) {
 *   client.put("greeting", "hello");
 * }
 * }</pre>
 *
 * <p>The keys are divided into {@link #REGIONS} regions unless the builder is given another number,
 * so that a test meets what production has: a {@link io.quorate.client.Batch} changes keys of one
 * region, and is refused otherwise.
 *
 * <p>Several clusters may run at the same time. All nodes share the JVM and therefore fail
 * together: use {@link QuorateContainers} or separate processes to test the kill of a process.
 *
 * <p>Safe for use by multiple threads; calls that start or stop nodes exclude each other.
 */
public final class EmbeddedCluster implements AutoCloseable {
  /** The number of regions of a cluster unless it is set: they begin at "g", "n" and "t". */
  public static final int REGIONS = 4;

  private static final Duration SPLIT_TIMEOUT = Duration.ofSeconds(30);
  private static final long POLL_NANOS = 10_000_000;

  /** By the classes with {@link QuorateTest} whose tests run. */
  private static final ConcurrentMap<Class<?>, EmbeddedCluster> OF_TESTS =
      new ConcurrentHashMap<>();

  private final EmbeddedNodes nodes;

  private EmbeddedCluster(EmbeddedNodes nodes) {
    this.nodes = nodes;
  }

  /**
   * Starts a cluster and waits until it serves requests, which takes a few seconds. Blocks.
   *
   * @param nodes the number of nodes; 1 for speed, 3 or 5 to test the failure of nodes
   * @throws RuntimeException if the cluster cannot be started or does not serve requests, with a
   *     message that names the reason; nothing is left behind
   */
  public static EmbeddedCluster start(int nodes) {
    return builder().nodes(nodes).start();
  }

  /**
   * As {@link #start(int)}, with a preset.
   *
   * @param preset the name of a combination of replication settings of the server, such as {@code
   *     raft}
   */
  public static EmbeddedCluster start(int nodes, String preset) {
    return builder().nodes(nodes).preset(preset).start();
  }

  /**
   * Returns a builder for a cluster of one node and {@link #REGIONS} regions with the default
   * preset of the server.
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Returns the cluster of a class with {@link QuorateTest} while its tests run, for what has no
   * parameters of its own, such as a method of Spring with {@code @DynamicPropertySource}:
   *
   * <pre>{@code
   * registry.add("orders.database", () -> EmbeddedCluster.of(OrdersTest.class).addresses());
   * }</pre>
   *
   * @throws IllegalStateException if none runs
   */
  public static EmbeddedCluster of(Class<?> test) {
    Nulls.refuse(test, "test");
    // Those that are nested share the cluster of the enclosing class.
    for (Class<?> each = test; each != null; each = each.getEnclosingClass()) {
      EmbeddedCluster running = OF_TESTS.get(each);
      if (running != null) {
        return running;
      }
    }
    throw new IllegalStateException(
        "No cluster runs for " + test.getName() + "; annotate it with @QuorateTest.");
  }

  void assign(Class<?> test) {
    OF_TESTS.put(test, this);
  }

  /** Returns the number of nodes, running or not. */
  public int size() {
    return nodes.size();
  }

  /**
   * Returns the client addresses of the nodes, as {@code host:port,host:port}; a restart does not
   * change them.
   */
  public String addresses() {
    return nodes.addresses();
  }

  /** Returns the default client options with the addresses of this cluster. */
  public ClientOptions options() {
    return ClientOptions.of(addresses());
  }

  /**
   * Stops a node in an orderly way; its data stays. Blocks for a few seconds at most. Has no effect
   * if the node does not run.
   *
   * @param node the number of the node, from 0
   */
  public synchronized void stopNode(int node) {
    nodes.stop(Objects.checkIndex(node, size()));
  }

  /**
   * Starts a stopped node with its data and its addresses. Does not wait until the node serves
   * requests; client calls wait for it up to their deadlines. Has no effect if the node runs.
   *
   * @param node the number of the node, from 0
   */
  public synchronized void startNode(int node) {
    nodes.start(Objects.checkIndex(node, size()));
  }

  /** Returns the faults that its nodes can have. */
  public ClusterFaults faults() {
    return new ClusterFaults(nodes);
  }

  /**
   * Lets a region begin at a key, if none does already, as in a cluster that has grown: keys before
   * and from it on cannot be changed by one {@link io.quorate.client.Batch}. Blocks until the new
   * region serves.
   *
   * @param key the first key of the region, in UTF-8
   * @throws io.quorate.client.QuorateException if that takes more than 30 s
   */
  public void splitAt(String key) {
    byte[] first = Utf8.bytes(Nulls.refuse(key, "key"));
    try (QuorateClient client =
        QuorateClient.connect(options().toBuilder().deadline(SPLIT_TIMEOUT).build())) {
      GroupId region = client.splitRegion(first);
      long end = System.nanoTime() + SPLIT_TIMEOUT.toNanos();
      // No event tells a client that a region serves. An interrupt ends the next request.
      while (client.status().replicas(region).stream().noneMatch(ReplicaState::serving)) {
        if (System.nanoTime() - end > 0) {
          throw new UnavailableException(
              "Region " + region + " does not serve within " + SPLIT_TIMEOUT.toSeconds() + " s.");
        }
        LockSupport.parkNanos(POLL_NANOS);
      }
    }
  }

  /** Stops every node and deletes the data. Blocks. A second invocation has no effect. */
  @Override
  public synchronized void close() {
    OF_TESTS.values().remove(this);
    nodes.close();
  }

  /** Builds a cluster. */
  public static final class Builder {
    private int nodes = 1;
    private List<String> splitKeys = RegionStarts.evenly(REGIONS);
    private String preset = Shape.DEFAULT.preset();

    private Builder() {}

    /** Sets the number of nodes: 1 for speed, 3 or 5 to test the failure of nodes. */
    public Builder nodes(int value) {
      nodes = value;
      return this;
    }

    /**
     * Sets the number of regions into which the keys are divided: all keys of a {@link
     * io.quorate.client.Batch} must lie in one region. They begin at letters that divide the
     * alphabet evenly, "n" for two, since keys are most often lower-case text; in a cluster of
     * production they begin where its data is divided. In the place of what {@link #splitAt} has
     * set.
     *
     * @param value 1 to 4,096
     * @throws IllegalArgumentException if it is not within these bounds
     */
    public Builder regions(int value) {
      splitKeys = RegionStarts.evenly(value);
      return this;
    }

    /**
     * Lets regions begin at these keys: a cluster with one region more than keys. Keys that share a
     * prefix, such as {@code stock/bolt} and {@code stock/nut}, are in one region unless a region
     * begins between them: {@code splitAt("stock/c")}. In the place of what {@link #regions} has
     * set.
     *
     * @param keys in ascending order, each once
     * @throws IllegalArgumentException if UTF-8 cannot encode one
     */
    public Builder splitAt(String... keys) {
      for (String key : Nulls.refuse(keys, "keys")) {
        // Half of a surrogate pair is refused here, as by every method with text.
        Utf8.bytes(Nulls.refuse(key, "key"));
      }
      splitKeys = List.of(keys);
      return this;
    }

    /**
     * Sets the combination of replication settings by a name that the server defines, such as
     * {@code raft}.
     */
    public Builder preset(String value) {
      preset = Nulls.refuse(value, "preset");
      return this;
    }

    /** Starts the cluster, as {@link EmbeddedCluster#start(int)}. */
    public EmbeddedCluster start() {
      return new EmbeddedCluster(
          EmbeddedNodes.serving(new Shape(nodes, splitKeys.size() + 1, preset, splitKeys, false)));
    }
  }
}
