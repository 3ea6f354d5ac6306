package io.quorate.client.testing;

import io.quorate.client.ClientOptions;
import java.util.Objects;
import java.util.Optional;
import java.util.ServiceLoader;

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
 * <p>Several clusters may run at the same time. The server must be on the class path of the tests:
 * artifact {@code io.quorate:quorate-server}, scope test. All nodes share the JVM and therefore
 * fail together: use {@link QuorateContainer} or separate processes to test the kill of a process
 * or a network partition.
 *
 * <p>Safe for use by multiple threads; calls that start or stop nodes exclude each other.
 */
public final class EmbeddedCluster implements AutoCloseable {
  private final EmbeddedClusterProvider.Nodes nodes;

  private EmbeddedCluster(EmbeddedClusterProvider.Nodes nodes) {
    this.nodes = nodes;
  }

  /**
   * Starts a cluster and waits until it serves requests, which takes a few seconds. Blocks.
   *
   * @param nodes the number of nodes; 1 for speed, 3 or 5 to test the failure of nodes
   * @throws IllegalStateException if the server is not on the class path
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
   * Returns a builder for a cluster of one node and one region with the default preset of the
   * server.
   */
  public static Builder builder() {
    return new Builder();
  }

  private static EmbeddedCluster start(EmbeddedClusterProvider.Shape shape) {
    EmbeddedClusterProvider provider =
        ServiceLoader.load(EmbeddedClusterProvider.class)
            .findFirst()
            .orElseThrow(
                () ->
                    new IllegalStateException(
                        "An embedded cluster needs the server on the class path: add the dependency"
                            + " io.quorate:quorate-server with scope test, in the version"
                            + " of io.quorate:quorate-client."));
    return new EmbeddedCluster(provider.start(shape));
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

  /** Stops every node and deletes the data. Blocks. A second invocation has no effect. */
  @Override
  public synchronized void close() {
    nodes.close();
  }

  /** Builds a cluster. */
  public static final class Builder {
    private int nodes = 1;
    private int regions = 1;
    private Optional<String> preset = Optional.empty();

    private Builder() {}

    /** Sets the number of nodes: 1 for speed, 3 or 5 to test the failure of nodes. */
    public Builder nodes(int value) {
      nodes = value;
      return this;
    }

    /**
     * Sets the number of regions into which the keys are divided, as in production: all keys of a
     * {@link io.quorate.client.Batch} must lie in one region.
     */
    public Builder regions(int value) {
      regions = value;
      return this;
    }

    /**
     * Sets the combination of replication settings by a name that the server defines, such as
     * {@code raft}.
     */
    public Builder preset(String value) {
      preset = Optional.of(value);
      return this;
    }

    /** Starts the cluster, as {@link EmbeddedCluster#start(int)}. */
    public EmbeddedCluster start() {
      return EmbeddedCluster.start(new EmbeddedClusterProvider.Shape(nodes, regions, preset));
    }
  }
}
